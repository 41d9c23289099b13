"""`citemark ask`: an answer with footnotes."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, assert_never

from pydantic import TypeAdapter

from citemark.answering.numbered_documents import Document
from citemark.cli.asking_options import AS_TYPED, UNLIMITED, LimitOptions, PhrasingOptions
from citemark.cli.command_context import NOTHING_FOUND, CommandContext
from citemark.cli.missing import with_missing
from citemark.cli.search_command import (
    COMMAND_OPTIONS,
    checked,
    checked_also,
    filters_of,
    local_files,
    noted,
    phrased,
    show_place,
    told,
)
from citemark.cli.styled import Styled, bold, faint
from citemark.evidence.preview import preview
from citemark.results.answers import answer_out, words_of
from citemark.results.written import as_json
from citemark.services.answer_keys import ANSWERS
from citemark.services.answer_requests import Answered, AnswerRequest
from citemark.services.app_context import AppContext
from citemark.services.asked_states import state_asked
from citemark.services.catalog import LocalFiles
from citemark.services.requests import Caller
from citemark.text.citation_line import line_of

_NOTHING = "No relevant documents found for this query."


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question as typed."""

    question: str
    limit: int
    max_answer_tokens: int
    min_score: float | None
    phrasing: PhrasingOptions = AS_TYPED
    limits: LimitOptions = UNLIMITED
    documents_only: bool = False

    def request(self, app: AppContext) -> AnswerRequest:
        """The request for the answer service.

        Raises:
            InvalidArgument: the question or a further phrasing is malformed, or there is no such state.
        """
        return AnswerRequest(
            question=checked(self.question),
            also=checked_also(self.phrasing.also or ()),
            limit=self.limit,
            max_answer_tokens=self.max_answer_tokens,
            min_score=app.settings.min_score if self.min_score is None else self.min_score,
            synthesis="never" if self.documents_only else "auto",
            filters=filters_of(self.limits),
            read_context=state_asked(self.limits.as_of, self.limits.baseline),
            arguments=COMMAND_OPTIONS,
        )


async def ask_command(run: CommandContext, app: AppContext, asked: TypedQuestion) -> int:
    """The configured model's answer, or quotes if no model is configured."""
    model = app.settings.answer_model if app.settings.answer_url else None
    with _waiting(run, "searching and quoting" if model is None else f"searching, and asking {model}"):
        caller = Caller.local()
        request = asked.request(app)
        also, note = await phrased(app, caller, asked.question, request.also, wanted=asked.phrasing.rephrase)
        answered = await app.services.get(ANSWERS).answer(caller, replace(request, also=also))
        answered = replace(answered, meta=noted(answered.meta, note))
    files = await local_files(app)
    out, _ = answer_out(answered, words_of(answered, _NOTHING))
    run.show(as_json(out, files), _text(answered, files))
    return 0 if answered.documents else NOTHING_FOUND


async def answered_ask(run: CommandContext, app: AppContext, arguments: Mapping[str, Any]) -> int:
    """The same with its arguments as JSON holds them."""
    return await ask_command(run, app, TypeAdapter(TypedQuestion).validate_python(arguments["asked"]))


@contextmanager
def _waiting(run: CommandContext, doing: str) -> Generator[None]:
    """Report the current step and its duration on stderr, unless --json or --quiet is given."""
    if run.json or run.quiet:
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - not needed without a terminal
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(doing, total=None)
        yield


def _words(answered: Answered) -> str:
    if answered.checked is not None:
        return answered.checked.text
    count = len(answered.documents)
    if count:
        return f"Found {count} relevant document{'' if count == 1 else 's'}:"
    empty = answered.meta.empty
    return _NOTHING if empty is None or empty.reason == "nothing_answers" else empty.text


def _cited(answered: Answered) -> list[Document]:
    used = frozenset(answered.checked.cited) if answered.checked else frozenset[int]()
    return [document for document in answered.documents if document.number in used]


def _text(answered: Answered, files: LocalFiles) -> Styled:
    text = Styled()
    text.extend(told(answered.meta))
    words, empty = _words(answered), answered.meta.empty
    text.line(words)
    text.line("" if empty is None or empty.text == words else empty.text)
    for document in _cited(answered) if answered.checked else answered.documents:
        text.line(f"[{document.number}] ", bold(document.title))
        if answered.checked is None:
            text.line(f"    {preview(document.found_by or answered.question, document.text)}")
        text.line("    ", faint(line_of(document.citation)))
        show_place(text, "    ", document.citation, files)
    text.extend(_remarks(answered))
    while text.lines and not any(piece.words.strip() for piece in text.lines[-1]):
        text.lines.pop()
    return with_missing(text, answered.meta)


def _remarks(answered: Answered) -> list[str]:
    lines: list[str] = []
    if answered.checked is not None:
        if answered.checked.uncited_sentences:
            lines.append("Without support in the documents:")
            lines += [f"  - {sentence.text}" for sentence in answered.checked.uncited_sentences]
        if answered.checked.unsupported_claims:
            lines.append("In no document: " + "; ".join(answered.checked.unsupported_claims))
        if answered.checked.removed:
            lines.append(f"Removed citations of documents that do not exist: {answered.checked.removed}")
    lines += [f"Not available: {failure.way} ({failure.reason})" for failure in answered.failures]
    match answered.way:
        case "provider":
            lines.append(f"Written by {answered.model}.")
        case "extractive":
            lines.append("Quoted from the documents; no model wrote this.")
        case "client_sampling" | None:
            pass
        case _:
            assert_never(answered.way)
    if answered.cut:
        lines.append("The model wrote more than it was asked for; the rest was left out.")
    lines += [f"Note: {note}." for note in answered.meta.notes]
    return ["", *lines] if lines else []
