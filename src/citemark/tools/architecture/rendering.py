"""What a person or a text-only model reads of a model."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from citemark.model.escaping import marked, one_line
from citemark.tools.render import count, nothing, quoted, remarks

if TYPE_CHECKING:
    from citemark.evidence.architecture.results import ElementHit, LinkCard, PartCard
    from citemark.evidence.results import ResponseMeta
    from citemark.model.architecture import StoredEnd, StoredPart


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
