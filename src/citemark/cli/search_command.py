"""`citemark search` and `citemark evidence`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from citemark.cli.asking_options import AS_TYPED, UNLIMITED, LimitOptions, PhrasingOptions
from citemark.cli.command_context import NOTHING_FOUND, CommandContext
from citemark.cli.missing import with_missing
from citemark.cli.styled import Styled, bold, faint, score
from citemark.evidence.budget import EvidenceLimits
from citemark.evidence.readable import readable
from citemark.model.citation import Citation
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Filters
from citemark.results.found_quotes import found_evidence
from citemark.results.hits import search_out
from citemark.results.written import as_json
from citemark.services.app_context import AppContext
from citemark.services.asked_states import state_asked
from citemark.services.catalog import LocalFiles
from citemark.services.empty import Arguments
from citemark.services.question_rephrasing import REPHRASING
from citemark.services.requests import MAX_PHRASING_CHARS, MAX_PHRASINGS, Caller, SearchRequest, wrong_with
from citemark.services.responses import Evidence, ResponseMeta, SearchHit, SearchPage
from citemark.text.citation_line import line_of
from citemark.text.properties import asked_for

COMMAND_OPTIONS = Arguments(also="--also", threshold="--min-score")
"""The options of the commands that ask, as an advice names them."""

_SMALL = 0.1
"""Figures below this keep two significant digits: a reciprocal rank is at most 0.033."""


@dataclass(frozen=True, slots=True)
class TypedSearch:
    """A question as typed."""

    query: str
    top_k: int
    max_per_doc: int
    min_score: float | None
    phrasing: PhrasingOptions = AS_TYPED
    limits: LimitOptions = UNLIMITED

    def request(self, app: AppContext) -> SearchRequest:
        """The request for the search service.

        Raises:
            InvalidArgument: the question, a further phrasing or a property is malformed, or there is no such state.
        """
        return SearchRequest(
            query=checked(self.query),
            also=checked_also(self.phrasing.also or ()),
            top_k=self.top_k,
            page_size=self.top_k,
            max_per_doc=self.max_per_doc,
            min_score=app.settings.min_score if self.min_score is None else self.min_score,
            filters=filters_of(self.limits),
            read_context=state_asked(self.limits.as_of, self.limits.baseline),
            arguments=COMMAND_OPTIONS,
        )


def filters_of(limits: LimitOptions) -> Filters:
    """The conditions as typed.

    Raises:
        InvalidArgument: a property has no key or no value.
    """
    try:
        properties = asked_for(limits.where or ())
    except ValueError as error:
        raise InvalidArgument(
            f"--where takes a key and a value, such as status=done, and not {str(error)!r}."
        ) from None
    prefixes = () if limits.path_prefix is None else (limits.path_prefix,)
    return Filters(tuple(limits.tag or ()), prefixes, properties=properties)


def checked(question: str) -> str:
    """The question as typed.

    Raises:
        InvalidArgument: it is empty, or longer than a question may be.
    """
    wrong = wrong_with(question)
    if wrong:
        raise InvalidArgument(f"The question {wrong}.")
    return question


def checked_also(phrasings: Sequence[str]) -> tuple[str, ...]:
    """The further phrasings as typed.

    Raises:
        InvalidArgument: one is empty or too long, or there are too many.
    """
    for phrasing in phrasings:
        if wrong := wrong_with(phrasing, MAX_PHRASING_CHARS):
            raise InvalidArgument(f"A further phrasing {wrong}.")
    if len(phrasings) > MAX_PHRASINGS:
        raise InvalidArgument(f"There are {len(phrasings)} further phrasings; at most {MAX_PHRASINGS} are taken.")
    return tuple(phrasings)


async def search_command(run: CommandContext, app: AppContext, asked: TypedSearch, *, why: bool) -> int:
    """Show hits with previews and citations."""
    caller = Caller.local()
    request, note = await _phrased_request(app, caller, asked)
    page = await app.services.search.find(caller, request)
    page = replace(page, meta=noted(page.meta, note))
    files = await local_files(app)
    found = search_out(page, request.max_snippet_chars, scores=True, debug=why)
    run.show(as_json(found, files), _search_text(page, files, why=why))
    return 0 if page.hits else NOTHING_FOUND


async def evidence_command(run: CommandContext, app: AppContext, asked: TypedSearch, limits: EvidenceLimits) -> int:
    """Show quotes with citations."""
    caller = Caller.local()
    request, note = await _phrased_request(app, caller, asked)
    evidence = await app.services.evidence.retrieve(caller, request, limits)
    evidence = replace(evidence, meta=noted(evidence.meta, note))
    files = await local_files(app)
    run.show(as_json(found_evidence(evidence), files), evidence_text(evidence, files))
    return 0 if evidence.quotes else NOTHING_FOUND


async def _phrased_request(app: AppContext, caller: Caller, asked: TypedSearch) -> tuple[SearchRequest, str]:
    request = asked.request(app)
    also, note = await phrased(app, caller, asked.query, request.also, wanted=asked.phrasing.rephrase)
    return replace(request, also=also), note


async def phrased(
    app: AppContext, caller: Caller, question: str, also: tuple[str, ...], *, wanted: bool
) -> tuple[tuple[str, ...], str]:
    """The further phrasings, by the configured model if they are wanted and none are given, and a note about them.

    Raises:
        InvalidArgument: phrasings are wanted, and no model is configured.
    """
    if not wanted or also:
        return also, ""
    rephrasing = app.services.get(REPHRASING)
    if not rephrasing.available:
        raise InvalidArgument(
            "--rephrase needs a model in the settings: set answer_url and answer_model, or give "
            "other phrasings yourself with --also."
        )
    phrasings = await rephrasing.phrase(caller, question)
    note = phrasings.note or "the configured model returned no other phrasings; only the question was asked"
    return phrasings.also, note


def noted(meta: ResponseMeta, note: str) -> ResponseMeta:
    """The metadata with a further note."""
    return replace(meta, notes=(*meta.notes, note)) if note else meta


async def local_files(app: AppContext) -> LocalFiles:
    """The files of all sources: the user who runs a command owns this machine's index."""
    return await app.services.catalog.local_files(Caller.local())


def show_place(text: Styled, indent: str, citation: Citation, files: LocalFiles) -> None:
    """Add where a person can open what is cited: its file on this machine, and its address in an app or a browser."""
    text.file(indent, files.of(citation))
    if citation.url:
        text.line(indent, faint(citation.url))


def told(meta: ResponseMeta) -> list[str]:
    """The first lines of a result, which tell what is absent and how sure the rest is; none if all is well."""
    return list(meta.first_lines)


def _search_text(page: SearchPage, files: LocalFiles, *, why: bool) -> Styled:
    text = Styled()
    text.extend(told(page.meta))
    for hit in page.hits:
        text.line(f"{hit.rank}. ", bold(hit.title), "  ", score(hit.score))
        text.line(f"   {hit.preview}")
        text.line("   ", faint(f"[{line_of(hit.citation)}]"))
        show_place(text, "   ", hit.citation, files)
        if hit.also_in:
            text.line(f"   same text in: {', '.join(hit.also_in)}")
        if why:
            parts = ((name, _short(value)) for name, value in _why(hit).items())
            text.line("   why: ", ", ".join(f"{name} {value}" for name, value in parts if value))
    text.extend(_notes(page.meta))
    return with_missing(text, page.meta)


def _why(hit: SearchHit) -> dict[str, Any]:
    """How a hit got its rank, with the phrasing that found it written out."""
    return {**asdict(hit.why), "phrasing": hit.found_by}


def _short(value: float | str | tuple[float, ...] | None) -> str:
    """A value in few characters, figures with two digits; "" if there is none."""
    if isinstance(value, tuple):
        return " / ".join(map(_short, value))
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return f"{value:.2f}" if abs(value) >= _SMALL else f"{value:.2g}"


def evidence_text(evidence: Evidence, files: LocalFiles) -> Styled:
    """Quotes for people: the words, then their citation."""
    text = Styled()
    text.extend(told(evidence.meta))
    for quote in evidence.quotes:
        for line in readable(quote.quote, quote.header, quote.cut).splitlines():
            text.line(faint("  | "), bold(line))
        text.line("  ", faint(line_of(quote.citation, named=True)))
        show_place(text, "  ", quote.citation, files)
        text.line()
    text.extend(_notes(evidence.meta))
    return with_missing(text, evidence.meta)


def _notes(meta: ResponseMeta) -> list[str]:
    lines = [] if meta.empty is None else [meta.empty.text]
    return lines + [f"Note: {note}." for note in meta.notes]
