"""`citemark element` and `citemark view`: parts of architecture models."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citemark.cli.command_context import NOTHING_FOUND, CommandContext
from citemark.cli.missing import with_missing
from citemark.cli.search_command import local_files
from citemark.cli.styled import Styled, bold, faint
from citemark.features.archimate.commands.picture import picture_of
from citemark.features.archimate.results.model_listings import element_page_out, view_page_out, views_out
from citemark.features.archimate.services.keys import MODEL_LISTING
from citemark.features.archimate.services.requests import PartList, PartRef, QueryScope, ViewRequest
from citemark.features.archimate.services.responses import LinkCard, PartCard
from citemark.model.architecture import ELEMENT, VIEW, StoredEnd
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.results.written import as_json
from citemark.services.app_context import AppContext
from citemark.services.asked_states import state_asked
from citemark.services.catalog import LocalFiles
from citemark.services.empty import EmptyResult
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta
from citemark.text.citation_line import line_of

_EVERYTHING = 100_000
"""The page size; a terminal shows a view without pages."""

_MOST_VIEWS = 1000
"""Real models have tens to a few hundred views."""

_NO_MODEL = EmptyResult(
    "no_source", "There is no architecture model.", "`citemark add archimate FILE` adds one, and its views."
)

_STDOUT = Path("-")


@dataclass(frozen=True, slots=True)
class ViewRequested:
    """Which view, of which state, and where its picture goes."""

    name: str | None
    svg: Path | None
    source: str | None
    as_of: str | None = None
    baseline: str | None = None


@dataclass(frozen=True, slots=True)
class ElementRequested:
    """Which element, and of which state."""

    name: str
    source: str | None
    as_of: str | None = None
    baseline: str | None = None


async def element_command(run: CommandContext, app: AppContext, wish: ElementRequested) -> int:
    """Show an element as the model describes it, or as it did in a past state.

    Raises:
        InvalidArgument: there is no such element or state.
    """
    files = await local_files(app)
    scope = QueryScope(read_context=state_asked(wish.as_of, wish.baseline))
    ref = PartRef(scope, ELEMENT, wish.name, wish.source)
    page = await app.services.get(MODEL_LISTING).element(Caller.local(), ref, relationships=True)
    data = as_json(element_page_out(page.card, page.text, page.links, page.views, page.meta), files)
    part = page.card.part
    facts = f"  ({part.type}, {part.layer}, id {part.native_id})"
    lines = ["", *_indented(page.text)]
    lines += _section("Relationships", [_link_line(card, part.native_id) for card in page.links])
    lines += _section("Shown in", [card.part.name for card in page.views])
    run.show(data, _shown(page.card, facts, lines, page.meta, files))
    return 0


async def view_command(run: CommandContext, app: AppContext, wish: ViewRequested) -> int:
    """Show a view in words, or draw it as a picture; without a name, list the views.

    Raises:
        InvalidArgument: a picture is requested without naming a view, or it cannot be written to its file.
        BackendUnavailable: the model cannot confirm the view now.
    """
    scope = QueryScope(read_context=state_asked(wish.as_of, wish.baseline))
    if wish.name is None:
        if wish.svg is not None:
            raise InvalidArgument("Name the view to draw; `citemark view` lists them.")
        return await _list_views(run, app, replace(scope, model=wish.source))
    files = await local_files(app)
    request = ViewRequest(PartRef(scope, VIEW, wish.name, wish.source), page_size=_EVERYTHING)
    page = await app.services.get(MODEL_LISTING).view(Caller.local(), request)
    if wish.svg is not None:
        if not page.text:
            raise BackendUnavailable("The model does not confirm this view now; run `citemark sync` and draw again.")
        _write(wish.svg, picture_of(page.layout, page.card.part.name))
        if wish.svg != _STDOUT:
            run.show(
                {**as_json(views_out([page.card], 1, page.meta), files), "svg": str(wish.svg)},
                f"Drew {page.card.part.name} to {wish.svg}.",
            )
        return 0
    data = as_json(view_page_out(page, page.text, page.elements, page.links, page.meta), files)
    facts = f"  (view, id {page.card.part.native_id})"
    lines = ["", *_indented(page.text)]
    lines += _section("Elements", [f"{card.part.name} ({card.part.type})" for card in page.elements])
    lines += _section("Relationships", [_link_line(card) for card in page.links])
    run.show(data, _shown(page.card, facts, lines, page.meta, files))
    return 0


async def _list_views(run: CommandContext, app: AppContext, scope: QueryScope) -> int:
    files = await local_files(app)
    request = PartList(scope, VIEW, page_size=_MOST_VIEWS)
    page = await app.services.get(MODEL_LISTING).parts(Caller.local(), request)
    lines = [f"{card.part.name}  ({card.citation.source}, id {card.part.native_id})" for card in page.parts]
    meta = page.meta
    if meta.empty is not None and meta.empty.reason == "no_source":
        meta = replace(meta, empty=_NO_MODEL)
    data = as_json(views_out(page.parts, page.total, meta), files)
    text = Styled()
    text.extend([*lines, *_notes(meta)])
    run.show(data, with_missing(text, meta))
    return 0 if lines else NOTHING_FOUND


def _shown(card: PartCard, facts: str, lines: Iterable[str], meta: ResponseMeta, files: LocalFiles) -> Styled:
    text = Styled()
    text.line(bold(card.part.name), facts)
    text.extend(lines)
    text.line()
    text.line(faint(f"[{line_of(card.citation)}]"))
    text.file("", files.of(card.citation))
    text.extend(_notes(meta))
    return with_missing(text, meta)


def _write(target: Path, picture: str) -> None:
    if target == _STDOUT:
        sys.stdout.write(picture)
        return
    try:
        target.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"The picture cannot be written to {target}: {error.strerror}.") from None


def _link_line(card: LinkCard, element: str | None = None) -> str:
    """A relationship as a line; seen from `element`, an arrow with its direction and the other end."""
    link = card.link
    name = f' "{link.metadata["name"]}"' if link.metadata.get("name") else ""
    if element is None:
        return f"{_end(link.start)} --{link.kind}--> {_end(link.end)}{name}"
    if link.start.native_id == element:
        return f"--{link.kind}--> {_end(link.end)}{name}"
    return f"<--{link.kind}-- {_end(link.start)}{name}"


def _end(end: StoredEnd) -> str:
    return f"{end.name} ({end.type})" if end.name else f"relationship {end.native_id}"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def _indented(text: str) -> Iterable[str]:
    return (f"  {line}" for line in text.split("\n"))


def _notes(meta: ResponseMeta) -> list[str]:
    lines = [] if meta.empty is None else [meta.empty.text]
    return lines + [f"Note: {note}." for note in meta.notes]
