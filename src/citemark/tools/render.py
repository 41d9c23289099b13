"""Results as text that is complete without the structured content: words, citations, and how to read on.

Every line of a document's words begins with a mark, and names are kept on one line (`model.shown`), so a line without
the mark always comes from Citemark.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemark.evidence.readable import readable
from citemark.model.citation import Citation, iso
from citemark.model.escaping import MARK, marked, one_line
from citemark.tools.schemas_out import MAX_TITLE_CHARS

if TYPE_CHECKING:
    from citemark.model.text import Lines
    from citemark.services.responses import Excerpt, Quote, ResponseMeta, SearchPage, Verification

_MAX_QUERY_CHARS = 120
"""Questions in the heading are cut: the model knows what it asked."""


_VERDICTS = {
    "exact": "The quotation is exact, and where the citation says.",
    "moved": "The quotation is exact, but in another place.",
    "changed": "The document exists, but the words there have changed.",
    "words_gone": "The document exists, but contains neither these words nor similar ones.",
    "document_gone": "The document no longer exists, or may not be read.",
}
_REVISIONS = {
    "known": "The revision cited is the present one.",
    "superseded": "Another revision has taken the place of the one cited.",
    "unknown": "The document has no such revision as cited, or it is not kept.",
}


def render_search(query: str, page: "SearchPage", previews: Sequence[str], *, cut: bool) -> str:
    """Numbered previews, each with its citation and handle."""
    if not page.hits:
        return "\n".join([nothing(page.meta), *remarks(page.meta, cut=cut)])
    lines = [f"{count(len(page.hits), 'passage')} for {quoted(query)}:"]
    for hit, preview in zip(page.hits, previews, strict=True):
        title = one_line(hit.title[:MAX_TITLE_CHARS])
        lines += [f"\n[{hit.rank}] {title}", *marked(preview), _place(hit.citation, hit.passage_id)]
    return "\n".join([*lines, *remarks(page.meta, cut=cut)])


def render_evidence(quotes: Sequence["Quote"], meta: "ResponseMeta", *, cut: bool) -> str:
    """Numbered quotes, passage by passage, each passage with one citation of all its quotes and its handle."""
    if not quotes:
        return "\n".join([nothing(meta), *remarks(meta, cut=cut)])
    passages: dict[str, list[tuple[int, Quote]]] = {}
    for number, quote in enumerate(quotes, start=1):
        passages.setdefault(quote.passage_id, []).append((number, quote))
    lines: list[str] = []
    for passage_id, found in passages.items():
        for number, quote in found:
            first, *rest = marked(readable(quote.quote, quote.header, quote.cut)) or [MARK]
            lines += [f"[{number}] {first}", *rest]
        citations = [quote.citation for _, quote in found]
        lines += [_place_of(citations, passage_id, citations[0].named), ""]
    return "\n".join([*lines[:-1], *remarks(meta, cut=cut)]).rstrip()


def render_excerpt(excerpt: "Excerpt", *, with_citation: bool) -> str:
    """The text, its citation, and how to read on."""
    lines = [*marked(excerpt.text), ""]
    if with_citation:
        lines.append(_place_of([excerpt.citation], excerpt.passage_id, excerpt.citation.named))
    lines.append(_onward(excerpt))
    return "\n".join([*lines, *remarks(excerpt.meta, cut=False)]).rstrip()


def _onward(excerpt: "Excerpt") -> str:
    """How to read on."""
    onward = excerpt.onward
    if onward is None:
        return "The document ends here."
    start = "" if onward.at_start else f", start_char {onward.start_char}"
    if onward.passage_id == excerpt.passage_id:
        return f"The passage goes on: read_excerpt with passage_id {onward.passage_id}{start}."
    title = f" in {quoted(onward.title)}" if onward.title else ""
    place = f"line{'' if onward.lines.start == onward.lines.end else 's'} {_lines(onward.lines)}"
    return f"The document goes on{title}, {place}: read_excerpt with passage_id {onward.passage_id}{start}."


def render_verification(found: "Verification") -> str:
    """The verdict in a sentence, and where the words are now."""
    lines = [f"{found.holds}: {_VERDICTS[found.reason or found.holds]}"]
    if found.found_at is not None:
        lines.append(f"({found.found_at.render()})")
    lines.append(_REVISIONS[found.cited_revision])
    return "\n".join([*lines, *remarks(found.meta, cut=False)])


def _place(citation: Citation, passage_id: str) -> str:
    """Source, document, lines and revision; the time is said once for all of a result."""
    return _place_of([citation], passage_id)


def _place_of(citations: Sequence[Citation], passage_id: str, named: str = "") -> str:
    """The same for several quotes of one passage, their lines in the order of the quotes; `named` is the document."""
    first = citations[0]
    document = one_line(named or first.document_id)
    place = f"{one_line(first.source)}: {document}, {_where(citations)}, revision {first.revision_id}"
    return f"({place}; passage_id {passage_id})"


def _where(citations: Sequence[Citation]) -> str:
    lines = [each.anchor.lines for each in citations if each.anchor.lines]
    if len(lines) < len(citations):
        return "characters " + ", ".join(f"{each.span.start}-{each.span.end}" for each in citations)
    single = len(lines) == 1 and lines[0].start == lines[0].end
    return f"line{'' if single else 's'} " + ", ".join(map(_lines, lines))


def _lines(lines: "Lines") -> str:
    return f"{lines.start}" if lines.start == lines.end else f"{lines.start}-{lines.end}"


def remarks(meta: "ResponseMeta", *, cut: bool = False) -> list[str]:
    """What a reader must know to judge the result as a whole."""
    lines: list[str] = []
    if meta.withheld_unverified:
        lines.append(f"{count(meta.withheld_unverified, 'hit')} withheld: the source could not confirm access.")
    if cut:
        lines.append("Shortened to fit the result's byte cap.")
    if meta.next_cursor:
        lines.append(f"More hits: the same call with cursor {meta.next_cursor}")
    context = meta.read_context
    state = f" (baseline {context.baseline_id})" if context.baseline_id else ""
    return ["", *lines, *map(one_line, meta.notes), f"As of {iso(context.as_of)}{state}."]


def nothing(meta: "ResponseMeta") -> str:
    """Why a result is empty and what to do; of a later page, that nothing more came."""
    return "Nothing more was found." if meta.empty is None else meta.empty.text


def quoted(text: str) -> str:
    """A text in quotation marks on one line, shortened."""
    line = one_line(" ".join(text.split()))
    return f'"{line if len(line) <= _MAX_QUERY_CHARS else line[:_MAX_QUERY_CHARS] + "..."}"'


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
