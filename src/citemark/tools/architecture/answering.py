"""The parts of results that the tools of a model share, and how a page is made to fit."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import Field

from citemark.evidence.tokens import bytes_len, prefix_chars
from citemark.model.errors import BudgetExceeded
from citemark.tools.kb.answering import CitationOut, cited
from citemark.tools.registry import Call
from citemark.tools.reply import Reply
from citemark.tools.response_meta import ResponseMetaOut
from citemark.tools.schema import Strict

if TYPE_CHECKING:
    from citemark.evidence.architecture.results import LinkCard, PartCard
    from citemark.evidence.results import ResponseMeta
    from citemark.model.architecture import StoredEnd, StoredPart
    from citemark.model.citation import Citation

_TEXT_BYTES = 8000
"""The most of one element's or view's own text, which stands in both channels."""

_CURSOR = "x" * 48
"""As long as the longest cursor."""


class ModelOut(ResponseMetaOut):
    """What every result about a model ends with."""


class ElementOut(Strict):
    """An element of a model."""

    element_id: str
    element_name: str
    element_type: str
    layer: str
    citation: CitationOut
    capabilities: list[str] = Field(default_factory=list[str])
    specialization: str | None = None
    folder: str | None = None


class EndOut(Strict):
    """One end of a relationship; only the id where that is another relationship."""

    element_id: str
    element_name: str
    element_type: str


class RelationshipOut(Strict):
    """A relationship from `source` to `target`, cited where it is stated."""

    relationship_id: str
    type: str
    source: EndOut
    target: EndOut
    citation: CitationOut
    name: str | None = None
    properties: dict[str, str] = Field(default_factory=dict[str, str])


class ViewOut(Strict):
    """A view of a model."""

    view_id: str
    view_name: str
    citation: CitationOut


def element_fields(part: "StoredPart", citation: "Citation") -> dict[str, Any]:
    """The fields of `ElementOut`."""
    fields: dict[str, Any] = {
        "element_id": part.native_id,
        "element_name": part.name,
        "element_type": part.type,
        "layer": part.layer,
        "citation": cited(citation),
    }
    if part.capabilities:
        fields["capabilities"] = list(part.capabilities)
    for key in ("specialization", "folder"):
        if part.metadata.get(key):
            fields[key] = part.metadata[key]
    return fields


def element_out(card: "PartCard") -> ElementOut:
    """An element as it is shown."""
    return ElementOut(**element_fields(card.part, card.citation))


def view_out(card: "PartCard") -> ViewOut:
    """A view as it is shown."""
    return ViewOut(view_id=card.part.native_id, view_name=card.part.name, citation=cited(card.citation))


def relationship_out(card: "LinkCard") -> RelationshipOut:
    """A relationship as it is shown; its properties are what the model says of it besides its name."""
    link = card.link
    fields: dict[str, Any] = {}
    if link.metadata.get("name"):
        fields["name"] = link.metadata["name"]
    rest = {key: value for key, value in link.metadata.items() if key not in _SHOWN and value}
    if rest:
        fields["properties"] = rest
    return RelationshipOut(
        relationship_id=link.native_id,
        type=link.type,
        source=_end(link.start),
        target=_end(link.end),
        citation=cited(card.citation),
        **fields,
    )


_SHOWN = frozenset({"name", "source_relationship", "target_name", "target_type"})
"""Keys of a relationship's metadata that stand elsewhere in the result."""


def _end(end: "StoredEnd") -> EndOut:
    return EndOut(element_id=end.native_id, element_name=end.name, element_type=end.type)


def bounded(text: str) -> tuple[str, bool]:
    """As many whole lines of a text as leave room for what else a result says; whether some were left out."""
    if bytes_len(text) <= _TEXT_BYTES:
        return text, False
    head = text[: prefix_chars(text, _TEXT_BYTES)]
    return head[: head.rfind("\n")] if "\n" in head else head, True


async def fitting(
    call: Call,
    meta: "ResponseMeta",
    count: int,
    build: "Callable[[int, ResponseMeta], Reply]",
    cursor: Callable[[int], Awaitable[str | None]],
) -> Reply:
    """The reply with as many of `count` rows as a result holds, and the cursor of what follows them.

    Args:
        call: measures replies.
        meta: of the whole page.
        count: rows of the page.
        build: the reply with the first rows, so many, under a meta.
        cursor: mints what goes on after so many rows, None at the end.

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
