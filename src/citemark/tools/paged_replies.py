"""Pages of rows as replies: as many rows as fit below the byte cap, and a cursor to the rows after them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from citemark.model.errors import BudgetExceeded
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


_CURSOR = "x" * 48
"""As long as the longest cursor."""


async def fitting(
    call: ToolCall,
    meta: "ResponseMeta",
    count: int,
    build: "Callable[[int, ResponseMeta], ToolReply]",
    cursor: Callable[[int], Awaitable[str | None]],
) -> ToolReply:
    """The reply with as many of `count` rows as a result can hold, and a cursor to the rows after them.

    Args:
        call: tells whether a reply fits.
        meta: the metadata of the whole page.
        count: the number of rows in the page.
        build: makes a reply from the first N rows and the metadata.
        cursor: makes the cursor that continues after N rows; None at the end.

    Raises:
        BudgetExceeded: there are rows, but not even one fits.
    """
    cut = replace(meta, partial=True, limit_reason="byte_cap", next_cursor=_CURSOR)
    kept = count
    if count and not call.fits(build(count, cut)):
        low, high = 0, count - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if call.fits(build(middle, cut)) else (low, middle - 1)
        kept = low
        if not kept:
            raise BudgetExceeded("Not even one row fits a result; its names and texts are too long.")
    following = await cursor(kept)
    if kept < count:
        return build(kept, replace(cut, next_cursor=following))
    if following is not None:
        return build(kept, replace(meta, partial=True, limit_reason="page_size", next_cursor=following))
    return build(kept, meta)
