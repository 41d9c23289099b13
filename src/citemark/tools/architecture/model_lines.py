"""The elements, views and relationships of a model as text."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from citemark.evidence.budget import bytes_len, prefix_chars
from citemark.text.citation_line import line_of
from citemark.text.escaping import marked, one_line
from citemark.tools.schemas_out import count, document_of, nothing, quoted, short, with_remarks

if TYPE_CHECKING:
    from citemark.model.architecture import StoredEnd, StoredPart
    from citemark.services.architecture.responses import ElementHit, LinkCard, PartCard
    from citemark.services.responses import ResponseMeta


def headline(part: "StoredPart") -> str:
    """An element or view on one line."""
    kind = ", ".join(one_line(word) for word in (part.type, part.layer) if word)
    name, ident = one_line(part.name), one_line(part.native_id)
    return f"{name} ({kind}) id {ident}" if kind else f"{name} id {ident}"


def render_hits(query: str, hits: "Sequence[ElementHit]", contexts: Sequence[str], meta: "ResponseMeta") -> str:
    """Hits as text, each with the context that matched and its citation."""
    lines = [f"{count(len(hits), 'element')} for {quoted(query)}"]
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
        f"- {_end(card.link.start)} -{one_line(card.link.kind)}-> {_end(card.link.end)}"
        + (f" {quoted(card.link.metadata['name'])}" if card.link.metadata.get("name") else "")
        + f" id {one_line(card.link.native_id)} "
        + f"[{line_of(card.citation) if with_state else document_of([card.citation])}]"
        for card in links
    ]


def _end(end: "StoredEnd") -> str:
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
