"""Pages of rows as replies: as many rows as fit below the byte cap, and a cursor to the rows after them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, ForwardRef, cast, get_args

from citemark.model.errors import BudgetExceeded
from citemark.results.shape import Strict
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


_CURSOR = "x" * 48
"""As long as the longest cursor."""

_SHORTENED = "values that end in … are shortened to fit; the source has them whole"


async def fitting(
    call: ToolCall,
    meta: "ResponseMeta",
    count: int,
    build: "Callable[[int, ResponseMeta], ToolReply]",
    cursor: Callable[[int], Awaitable[str | None]],
    *,
    least: int = 1,
) -> ToolReply:
    """The reply with as many of `count` rows as a result can hold, and a cursor to the rows after them.

    A reply with a row whose values had to be shortened is partial and says so.

    Args:
        call: tells whether a reply fits.
        meta: the metadata of the whole page.
        count: the number of rows in the page.
        build: makes a reply from the first N rows and the metadata.
        cursor: makes the cursor that continues after N rows; None at the end.
        least: the fewest rows that are worth a reply; 0 if it holds something besides its rows.

    Raises:
        BudgetExceeded: there are rows, but not even `least` of them fit.
    """

    def made(kept: int, meta: "ResponseMeta") -> ToolReply:
        reply = build(kept, meta)
        if not _has_shortened(reply.out):
            return reply
        return build(kept, replace(meta, partial=True, limit_reason="byte_cap", notes=(*meta.notes, _SHORTENED)))

    # Usually the whole page fits: it is made once, as it is sent.
    following = await cursor(count)
    of_page = (
        meta if following is None else replace(meta, partial=True, limit_reason="page_size", next_cursor=following)
    )
    whole = made(count, of_page)
    if not count or call.fits(whole):
        return whole
    cut = replace(meta, partial=True, limit_reason="byte_cap", next_cursor=_CURSOR)
    low, high = 0, count - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if call.fits(made(middle, cut)) else (low, middle - 1)
    if low < least or (not low and not call.fits(made(0, cut))):
        raise BudgetExceeded("Not even one row fits a result; its names and texts are too long.")
    return made(low, replace(cut, next_cursor=await cursor(low)))


def _has_shortened(node: object) -> bool:
    """Whether a part of a result names values of its own that are `shortened`."""
    if isinstance(node, list):
        return any(map(_has_shortened, cast("list[Any]", node)))
    if not isinstance(node, Strict) or not _may_shorten(type(node)):
        return False
    fields: dict[str, object] = vars(node)  # a result has thousands: to ask the model for each would take longer
    if fields.get("shortened"):
        return True
    return any(not isinstance(value, str | int | None) and _has_shortened(value) for value in fields.values())


@cache
def _may_shorten(shape: type[Strict]) -> bool:
    """Whether parts of this shape, or parts within them, have a place for the names of shortened values."""
    seen: set[object] = set()
    annotations: list[object] = [shape]
    while annotations:
        annotation = annotations.pop()
        if isinstance(annotation, str | ForwardRef):
            return True  # a shape that is named before it is known
        annotations += get_args(annotation)
        if annotation in seen or not isinstance(annotation, type) or not issubclass(annotation, Strict):
            continue
        seen.add(annotation)
        if "shortened" in annotation.model_fields:
            return True
        annotations += (field.annotation for field in annotation.model_fields.values())
    return False
