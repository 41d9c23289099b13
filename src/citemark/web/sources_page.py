"""The page of the sources: what is indexed, what waits and what fails, and for their owner how to change them."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import structlog

from citemark.model.architecture import ARCHIMATE, checked_capability
from citemark.model.citation import iso
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.source_labels import LabelChange, SourceLabels, note_of
from citemark.model.sources import NewSource, Source
from citemark.model.status import SourceStatus
from citemark.services.app_context import AppContext
from citemark.services.empty import AskedSource
from citemark.services.source_history import SOURCE_HISTORY, setting_of
from citemark.sources.docs.overlap import check_apart
from citemark.sources.docs.settings import DOCS
from citemark.web.asked import Asked
from citemark.web.begun_work import Work
from citemark.web.rendering import Page

_HISTORY = "90"
"""Days, as `citemark add` keeps by default."""

_MOST_PROBLEMS = 20
"""Problems that are listed for each source; `citemark problems` lists all."""


_CAPABILITY = "architecture"
"""That of a model as `citemark add archimate` records it by default."""

_log = structlog.get_logger(__name__)


async def sources(asked: Asked) -> Page:
    """Every source that the person may read: how far it is indexed and what is wrong with it."""
    unrevoked = bool(asked.text("unrevoked"))
    if not asked.is_owner:
        listed = await (await asked.index.services()).catalog.list_sources(asked.caller)
        seen = [_seen(each) for each in listed.sources]
        return Page("sources", {"owner": False, "sources": seen, "unrevoked": unrevoked, "folder": ""})
    app = await asked.index.app()
    configured = {source.source_id: source for source in await app.sources.all()}
    shown = [await _owned(app, status, configured) for status in await app.status.sources()]
    return Page("sources", {"owner": True, "sources": shown, "unrevoked": unrevoked, "folder": asked.text("folder")})


async def source(asked: Asked) -> Page:
    """One source, what its owner may change of it, and what its removal deletes.

    Raises:
        InvalidArgument: there is no such source.
    """
    if not asked.is_owner:
        return Page("source", {"owner": False})
    app = await asked.index.app()
    found = await app.sources.named(asked.text("name"))
    status = next(each for each in await app.status.sources() if each.source_id == found.source_id)
    held = await app.services.get(SOURCE_HISTORY).held(found)
    return Page(
        "source",
        {
            "owner": True,
            **await _owned(app, status, {found.source_id: found}),
            "removal": {
                "documents": status.documents,
                "passages": status.chunks,
                "vectors": status.vectors,
                "superseded_revisions": held.revisions,
                "baselines": list(held.baselines),
                "password": bool(app.kinds.of(found).password),
            },
        },
    )


def _seen(each: AskedSource) -> dict[str, Any]:
    state = each.state
    return {
        "name": each.source.name,
        "change": "",
        "kind": each.source.kind,
        "where": "",
        "tags": list(each.source.labels.tags),
        "about": each.source.labels.about or "",
        "paused": each.source.paused,
        "documents": state.documents,
        "texts_waiting": state.texts_waiting,
        "vectors_waiting": state.vectors_waiting,
        "failed": 0,
        "state": _state(
            paused=each.source.paused,
            scanning=state.scanning,
            scanned=state.last_complete_scan,
            texts=state.texts_waiting,
        )
        + _vectors(state.vectors_waiting, None),
        "trouble": state.scan_error or state.refused,
        "last_scan": _moment(state.last_complete_scan),
        "problems": [],
    }


async def _owned(app: AppContext, status: SourceStatus, configured: Mapping[SourceId, Source]) -> dict[str, Any]:
    source = configured.get(SourceId(status.source_id))
    problems = await app.sources.problems(SourceId(status.source_id), _MOST_PROBLEMS)
    config: Mapping[str, Any] = {} if source is None else source.config
    return {
        "name": status.name,
        "change": _address_of(status.name),
        "kind": status.kind,
        "where": str(config.get("root") or config.get("path") or config.get("server") or ""),
        "tags": [] if source is None else list(source.labels.tags),
        "about": "" if source is None else source.labels.about or "",
        "paused": status.paused,
        "documents": status.documents,
        "texts_waiting": status.texts_waiting,
        "vectors_waiting": status.vectors_waiting,
        "failed": status.failed,
        "state": _state(
            paused=status.paused,
            scanning=status.scanning,
            scanned=status.last_complete_scan,
            texts=status.texts_waiting,
        )
        + _vectors(status.vectors_waiting, status.seconds_left),
        "trouble": "The server does not accept the stored password any more."
        if status.login_refused
        else status.reason,
        "last_scan": _moment(status.last_complete_scan),
        "problems": [{"document": each.native_id, "message": each.message} for each in problems],
    }


def _state(*, paused: bool, scanning: bool, scanned: datetime | None, texts: int) -> str:
    """How far a source is read, in words."""
    if paused:
        return "paused: found as before, and not read again"
    if texts:
        return f"{texts:,} document{'' if texts == 1 else 's'} waiting to be read"
    if scanning:
        return "being listed"
    return "waiting for its first scan" if scanned is None else "up to date"


def _vectors(waiting: int, seconds_left: float | None) -> str:
    """What is found by words and not by meaning yet; "" if nothing."""
    if not waiting:
        return ""
    left = f", about {seconds_left:.0f} s left" if seconds_left else ""
    return f"; {waiting:,} passage{'' if waiting == 1 else 's'} not found by meaning yet{left}"


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment.replace(microsecond=0))


async def add_folder(asked: Asked, work: Work) -> str:
    """Add a folder of documents as a source and begin to index it; where to go next.

    Raises:
        InvalidArgument: it is no folder, is read already, or its name is taken.
    """
    app, given = await asked.index.app(), asked.text("folder")
    if not given:
        raise InvalidArgument("Give the path of a folder on the machine of this server, such as ~/notes.")
    root = await asyncio.to_thread(_folder, given)
    check_apart(root, (), await app.sources.all(), ignore=True)
    return await _added(asked, work, root.name, DOCS, {"root": str(root), "ignore": True})


async def add_model(asked: Asked, work: Work) -> str:
    """Add an architecture model as a source and begin to index it; where to go next.

    Raises:
        InvalidArgument: there is no such file, or its name is taken.
        FatalSourceError: the file is no model; the message says what it is instead.
    """
    app, given = await asked.index.app(), asked.text("model")
    if not given:
        raise InvalidArgument("Give the path of a model's file on the machine of this server, such as ~/it.archimate.")
    path = await asyncio.to_thread(_existing, given)
    if path is None:
        raise InvalidArgument(f"{given} is not a file; give the exchange or .archimate file that holds the model.")
    config = {"path": str(path), "capability": checked_capability(_CAPABILITY)}
    await app.sources.examine(ARCHIMATE, config)
    return await _added(asked, work, path.stem, ARCHIMATE, config)


async def _added(asked: Asked, work: Work, name: str, kind: str, config: Mapping[str, Any]) -> str:
    """Record a source with the name, the tags and the note of a form, and begin to index it; where to go next."""
    app, setting = await asked.index.app(), setting_of(_HISTORY)
    labels = SourceLabels(tags=_tags(asked), about=note_of(asked.text("about")) or None)
    new = NewSource(asked.text("name") or name, kind, config, labels=labels, keep_history=setting.keeps)
    added = await app.sources.add(new)
    await app.services.get(SOURCE_HISTORY).keep(added, setting)
    work.begin(app, added)
    return "/sources"


async def tag_source(asked: Asked, _: Work) -> str:
    """Give a source other tags; where to go next.

    Raises:
        InvalidArgument: there is no such source.
    """
    app = await asked.index.app()
    found = await app.sources.named(asked.text("name"))
    await app.sources.change(replace(found, labels=LabelChange(tags=_tags(asked)).of(found.labels)))
    return _address_of(found.name)


async def describe_source(asked: Asked, _: Work) -> str:
    """Give a source another note for models, or none; where to go next.

    Raises:
        InvalidArgument: there is no such source, or the note is too long.
    """
    app = await asked.index.app()
    found = await app.sources.named(asked.text("name"))
    change = LabelChange(about=note_of(asked.text("about")))
    await app.sources.change(replace(found, labels=change.of(found.labels)))
    return _address_of(found.name)


async def scan_source(asked: Asked, work: Work) -> str:
    """Begin to read a source again; where to go next.

    Raises:
        InvalidArgument: there is no such source.
    """
    app = await asked.index.app()
    found = await app.sources.named(asked.text("name"))
    if found.paused:
        raise InvalidArgument(f"{found.name} is paused; let it go on first.")
    work.begin(app, found)
    return "/sources"


async def pause_source(asked: Asked, work: Work) -> str:
    """Have a source neither listed nor read until it goes on; where to go next.

    Raises:
        InvalidArgument: there is no such source.
    """
    app = await asked.index.app()
    found = await app.sources.named(asked.text("name"))
    await app.sources.pause(found)
    await work.end(found)
    return _address_of(found.name)


async def resume_source(asked: Asked, work: Work) -> str:
    """Have a paused source listed and read again, beginning now; where to go next.

    Raises:
        InvalidArgument: there is no such source.
    """
    app = await asked.index.app()
    found = await app.sources.named(asked.text("name"))
    await app.sources.resume(found)
    work.begin(app, replace(found, paused=False))
    return _address_of(found.name)


async def remove_source(asked: Asked, work: Work) -> str:
    """Delete a source whose name was typed to confirm it; where to go next.

    Raises:
        InvalidArgument: there is no such source, or its name was not typed.
    """
    app = await asked.index.app()
    source = await app.sources.named(asked.text("name"))
    if asked.text("confirm") != source.name:
        raise InvalidArgument(f"Type {source.name} to remove it; nothing was deleted.")
    await work.end(source)
    revoked = True
    if app.kinds.of(source).password:
        try:
            await app.revoke_password(source)
        except CitemarkError as error:
            _log.warning("password_not_revoked", source=source.name, reason=error.message, action="page")
            revoked = False
    await app.sources.remove(source)
    return "/sources" if revoked else "/sources?unrevoked=1"


def _address_of(name: str) -> str:
    return "/source?" + urlencode({"name": name})


def _tags(asked: Asked) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag.strip() for tag in asked.text("tags").split(",") if tag.strip()))


def _folder(given: str) -> Path:
    """The folder that a path names.

    Raises:
        InvalidArgument: it is none.
    """
    root = _existing(given)
    if root is None or not root.is_dir():
        raise InvalidArgument(f"{given} is not a folder; give the folder that holds the documents.")
    return root


def _existing(given: str) -> Path | None:
    """What a path names on this machine; None if there is nothing."""
    try:
        path = Path(given).expanduser().absolute()
        return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):
        return None
