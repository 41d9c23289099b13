"""What the words after `citemark open` refer to: a citation in any form, a handle, or the path of a document."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from citemark.model.errors import InvalidArgument
from citemark.model.ids import PASSAGE_ID, SessionId
from citemark.model.text import Lines
from citemark.services.app_context import AppContext
from citemark.services.printed_citations import refs_in
from citemark.services.requests import Caller, CitationRef

_PARTS = 3
"""Source, document and revision, as three words."""

_SCRATCH = re.compile(rf"citemark://scratch/(s_[\w-]{{24}})/({PASSAGE_ID})", re.ASCII)
_HANDLE = re.compile(rf"(?:.*[\"'\s(])?({PASSAGE_ID})[\"')\]]*", re.ASCII | re.DOTALL)
_LINE = re.compile(r"(.+?):(\d{1,9})(?::\d+)?")
_WHAT_WORKS = (
    "Give the JSON of a citation with source, document_id and revision_id, or these three as words; a citation as it "
    "was printed, in quotation marks; a passage_id or scratch URI; or the path of a document."
)


@dataclass(frozen=True, slots=True)
class _NamedDocument:
    """A document by a path, and the line in it."""

    path: str
    line: int | None = None


async def refers_to(app: AppContext, words: Sequence[str]) -> CitationRef:
    """The citation that the words give.

    Raises:
        InvalidArgument: they give none, or what they name is not in the index.
        BackendUnavailable: the source of a passage cannot vouch for it right now.
    """
    text = " ".join(words).strip()
    if text.startswith(("{", "[{", '"')) and (given := _read(text)) is not None:
        return await _of_json(app, given)
    reopening, caller = app.services.reopening, Caller.local()
    printed = list(refs_in(text))
    for ref in printed:
        if (found := await reopening.known(caller, ref)) is not None:
            return found
    if scratch := _SCRATCH.search(text):
        return await app.services.passages.cited(caller.principal, scratch[2], SessionId(scratch[1]))
    if len(words) == _PARTS:
        return CitationRef(words[0], words[1], words[2])
    if printed:
        first = printed[0]
        raise InvalidArgument(
            f"No source has {first.document_id!r} at revision {first.revision_id or 'HEAD'}, or it is not kept. "
            "`citemark sources` lists the sources; search again for a present citation.",
            document_id=first.document_id[:200],
        )
    return await _of_path_or_handle(app, text)


async def _of_path_or_handle(app: AppContext, text: str) -> CitationRef:
    caller = Caller.local()
    handle = _HANDLE.fullmatch(text)
    if (found := await _of_path(app, text)) is not None:
        return found
    if handle is not None:
        return await app.services.passages.cited(caller.principal, handle[1])
    path = _here(_spellings(text)[-1].path) if text else None
    if path is not None and _exists(path):
        raise InvalidArgument(
            f"{path} exists, but the index has no document of it. `citemark sources` lists the folders that are read, "
            "`citemark problems --left-out` what is left out of them, and `citemark sync` reads what is new.",
            path=str(path),
        )
    raise InvalidArgument(f"Nothing is known by {text[:200]!r}. {_WHAT_WORKS}")


async def _of_path(app: AppContext, text: str) -> CitationRef | None:
    """The document with a path on this machine or within a source; None if there is none.

    Raises:
        InvalidArgument: several sources have a document of that path.
    """
    caller, reopening = Caller.local(), app.services.reopening
    sources = (await app.services.catalog.local_files(caller)).sources
    for named in _spellings(text):
        lines = None if named.line is None else Lines(named.line, named.line)
        absolute = _here(named.path)
        for source in sources.values():
            root = app.kinds.of(source).folder_of(source)
            for document in () if root is None else _within(root, absolute):
                ref = CitationRef(source.name, document, lines=lines)
                if (found := await reopening.known(caller, ref)) is not None:
                    return found
        refs = [CitationRef(name, named.path.removeprefix("./"), lines=lines) for name in sources]
        hits = [found for ref in refs if (found := await reopening.known(caller, ref)) is not None]
        if len(hits) > 1:
            names = ", ".join(hit.source for hit in hits)
            raise InvalidArgument(
                f"Several sources have {named.path[:200]!r}: {names}. Give its whole path, or a citation of it.",
                sources=[hit.source for hit in hits],
            )
        if hits:
            return hits[0]
    return None


def _spellings(text: str) -> list[_NamedDocument]:
    """A path as given, and without what may follow it: a line, or the part that a link opens at."""
    if text.startswith("file://"):
        text = unquote(urlsplit(text).path)
    found = [_NamedDocument(text)] if text else []
    if match := _LINE.fullmatch(text):
        found.append(_NamedDocument(match[1], max(1, int(match[2]))))
    return found


def _here(path: str) -> Path:
    """A path as a shell in the current folder means it."""
    return Path(path).expanduser().absolute()


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _within(root: Path, path: Path) -> Iterator[str]:
    """The path below a root, as given and with links followed."""
    for above, below in ((root, path), (root.resolve(), path.resolve())):
        if below.is_relative_to(above):
            yield below.relative_to(above).as_posix()


async def _of_json(app: AppContext, given: object) -> CitationRef:
    """The citation in a JSON value: a citation, what holds one under `citation`, or what holds a handle."""
    if isinstance(given, str):
        return await refers_to(app, [given])
    values = cast("list[object]", given) if isinstance(given, list) else [given]
    fields = _object(values[0] if values else None)
    if "citation" not in fields and (handle := fields.get("scratch_uri", fields.get("uri", fields.get("passage_id")))):
        return await refers_to(app, [str(handle)])
    citation = _object(fields["citation"]) if "citation" in fields else fields
    source, document, revision = (citation.get(name) for name in ("source", "document_id", "revision_id"))
    if not isinstance(source, str) or not isinstance(document, str) or not isinstance(revision, str | int):
        raise InvalidArgument(_WHAT_WORKS)
    span = _object(citation.get("span"))
    start, end = span.get("start"), span.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        return CitationRef(source, document, str(revision))
    return CitationRef(source, document, str(revision), start, end)


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else dict[str, Any]()
