"""Pages of rows of a model as replies: their text, and as many rows as fit below the byte cap."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from citemark.evidence.budget import bytes_len, prefix_chars
from citemark.model.errors import BudgetExceeded
from citemark.model.escaping import marked, one_line
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_out import count, nothing, quoted, remarks

if TYPE_CHECKING:
    from citemark.model.architecture import StoredEnd, StoredPart
    from citemark.services.architecture.responses import ElementHit, LinkCard, PartCard
    from citemark.services.responses import ResponseMeta


def headline(part: "StoredPart") -> str:
    """An element in one line."""
    kind = ", ".join(one_line(word) for word in (part.type, part.layer) if word)
    name, ident = one_line(part.name), one_line(part.native_id)
    return f"{name} ({kind}) id {ident}" if kind else f"{name} id {ident}"


def render_hits(query: str, hits: "Sequence[ElementHit]", contexts: Sequence[str], meta: "ResponseMeta") -> str:
    """Elements that answer, each with what was matched and its citation."""
    lines = [f"{count(len(hits), 'element')} for {quoted(query)}"]
    for number, (hit, context) in enumerate(zip(hits, contexts, strict=True), start=1):
        score = "by name" if hit.by_name else f"score {hit.score:.2f}"
        lines += ["", f"{number}. {headline(hit.part)}, {score}", *marked(context), f"[{hit.citation.render()}]"]
    if not hits:
        lines.append(nothing(meta))
    return "\n".join([*lines, *remarks(meta)])


def render_parts(noun: str, parts: "Sequence[PartCard]", total: int, meta: "ResponseMeta") -> str:
    """A list of elements or views."""
    lines = [f"{len(parts)} of {count(total, noun)}"]
    lines += [f"- {headline(card.part)} [{card.citation.render()}]" for card in parts]
    return "\n".join([*lines, *remarks(meta)])


def relationship_lines(links: "Iterable[LinkCard]") -> list[str]:
    """Relationships, a line each."""
    return [
        f"- {_end(card.link.start)} -{one_line(card.link.kind)}-> {_end(card.link.end)}"
        + (f" {quoted(card.link.metadata['name'])}" if card.link.metadata.get("name") else "")
        + f" id {one_line(card.link.native_id)} [{card.citation.render()}]"
        for card in links
    ]


def _end(end: "StoredEnd") -> str:
    return one_line(f"{end.name} ({end.type})" if end.name else f"relationship {end.native_id}")


_TEXT_BYTES = 8000
"""Most bytes of one element's or view's own text: it is sent twice, as text and as structured content."""


_CURSOR = "x" * 48
"""As long as the longest cursor."""


def bounded(text: str) -> tuple[str, bool]:
    """As many whole lines of a text as leave room for the rest of the result, and whether some were left out."""
    if bytes_len(text) <= _TEXT_BYTES:
        return text, False
    head = text[: prefix_chars(text, _TEXT_BYTES)]
    return head[: head.rfind("\n")] if "\n" in head else head, True


async def fitting(
    call: ToolCall,
    meta: "ResponseMeta",
    count: int,
    build: "Callable[[int, ResponseMeta], ToolReply]",
    cursor: Callable[[int], Awaitable[str | None]],
) -> ToolReply:
    """The reply with as many of `count` rows as a result holds, and the cursor of what follows them.

    Args:
        call: measures replies.
        meta: of the whole page.
        count: rows of the page.
        build: the reply with the first rows, so many, under a meta.
        cursor: mints what continues after so many rows, None at the end.

    Raises:
        BudgetExceeded: there are rows, and not even one fits.
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
