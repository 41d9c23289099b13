"""Elements, relationships and views of architecture models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from citemark.evidence.budget import bytes_len, prefix_chars
from citemark.results.common_parts import (
    MAX_TITLE_CHARS,
    CitationOut,
    ResponseMetaOut,
    cited,
    count,
    document_of,
    nothing,
    quoted,
    short,
    with_remarks,
)
from citemark.results.model_changes import ElementOut, EndOut, RelationshipOut
from citemark.results.shape import Strict
from citemark.text.citation_line import line_of
from citemark.text.escaping import marked, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from citemark.features.archimate.services.responses import ElementHit, LinkCard, PartCard
    from citemark.model.architecture import StoredEnd, StoredPart
    from citemark.model.citation import Citation
    from citemark.services.responses import ResponseMeta


def headline(part: "StoredPart") -> str:
    """An element or view on one line."""
    kind = ", ".join(one_line(word) for word in (part.type, part.layer) if word)
    name, ident = one_line(part.name), one_line(part.native_id)
    return f"{name} ({kind}) id {ident}" if kind else f"{name} id {ident}"


def render_hits(query: str, hits: "Sequence[ElementHit]", contexts: Sequence[str], meta: "ResponseMeta") -> str:
    """Hits as text, each with the context that matched and its citation."""
    lines = [count(len(hits), "element") + (f" for {quoted(query)}" if query else "")]
    for number, (hit, context) in enumerate(zip(hits, contexts, strict=True), start=1):
        score = "by name" if hit.by_name else f"score {hit.score:.2f}"
        lines += ["", f"{number}. {headline(hit.part)}, {score}", *marked(context), f"[{document_of([hit.citation])}]"]
    if not hits:
        lines.append(nothing(meta))
    return with_remarks(lines, meta)


def render_parts(noun: str, parts: "Sequence[PartCard]", total: int, meta: "ResponseMeta") -> str:
    """A list of elements or views as text."""
    lines = [f"{len(parts)} of {count(total, noun)}"]
    lines += [f"- {headline(card.part)} [{document_of([card.citation])}]" for card in parts] or [nothing(meta)]
    return with_remarks(lines, meta)


def relationship_lines(links: "Iterable[LinkCard]", *, with_state: bool = False) -> list[str]:
    """Relationships as text, one per line; `with_state`: each citation names its revision and time."""
    return [
        f"- {_end_text(card.link.start)} -{one_line(card.link.kind)}-> {_end_text(card.link.end)}"
        + (f" {quoted(card.link.metadata['name'])}" if card.link.metadata.get("name") else "")
        + f" id {one_line(card.link.native_id)} "
        + f"[{line_of(card.citation) if with_state else document_of([card.citation])}]"
        for card in links
    ]


def _end_text(end: "StoredEnd") -> str:
    return one_line(f"{end.name} ({end.type})" if end.name else f"relationship {end.native_id}")


_TEXT_BYTES = 8000
"""Maximum bytes of an element's or view's own text: it is sent twice, as text and as structured content."""


def bounded(text: str) -> tuple[str, bool]:
    """As many whole lines of a text as leave room for the rest of the result, and whether any were left out."""
    if bytes_len(text) <= _TEXT_BYTES:
        return text, False
    head = text[: prefix_chars(text, _TEXT_BYTES)]
    return head[: head.rfind("\n")] if "\n" in head else head, True


_PROPERTY_BYTES = 2000
"""Maximum bytes of a property of a relationship: with both sides of a changed one, a result holds at least one row."""


def bounded_property(value: str) -> str:
    """The value of a property; a long one is cut and ends in an ellipsis."""
    return value if bytes_len(value) <= _PROPERTY_BYTES else short(value, prefix_chars(value, _PROPERTY_BYTES))


class ModelOut(ResponseMetaOut):
    """What every result about a model ends with."""


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
    """An element as it appears in a result."""
    return ElementOut(**element_fields(card.part, card.citation))


def view_out(card: "PartCard") -> ViewOut:
    """A view as it appears in a result."""
    return ViewOut(view_id=card.part.native_id, view_name=card.part.name, citation=cited(card.citation))


def relationship_out(card: "LinkCard") -> RelationshipOut:
    """A relationship as it appears in a result; `properties` holds what the model says about it besides its name."""
    link = card.link
    fields: dict[str, Any] = {}
    name = link.metadata.get("name", "")
    rest = {key: value for key, value in link.metadata.items() if key not in _SHOWN_ELSEWHERE and value}
    properties = {key: bounded_property(value) for key, value in rest.items()}
    if name:
        fields["name"] = short(name, MAX_TITLE_CHARS)
    if properties:
        fields["properties"] = properties
    shortened = ["name"] if name != fields.get("name", "") else []
    shortened += [key for key, value in rest.items() if properties[key] != value]
    if shortened:
        fields["shortened"] = shortened
    return RelationshipOut(
        relationship_id=link.native_id,
        type=link.type,
        source=_end(link.start),
        target=_end(link.end),
        citation=cited(card.citation),
        **fields,
    )


_SHOWN_ELSEWHERE = frozenset({"name", "source_relationship", "target_name", "target_type"})
"""Keys of a relationship's metadata that are shown in other fields of the result."""


def _end(end: "StoredEnd") -> EndOut:
    return EndOut(element_id=end.native_id, element_name=end.name, element_type=end.type)
