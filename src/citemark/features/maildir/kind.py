"""Mailboxes as a kind of source."""

import asyncio

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.maildir.connector import maildir_connector, path_of
from citemark.features.maildir.mailboxes import find_boxes
from citemark.features.maildir.mails import MAIL
from citemark.model.errors import FatalSourceError, InvalidArgument
from citemark.model.sources import Source
from citemark.sources.contract import Connector
from citemark.sources.kinds import Config, ConnectorParts, SourceKind

MAILDIR = "maildir"


def _connect(source: Source, parts: ConnectorParts) -> Connector:
    return maildir_connector(source.config, parts.parsers, max_file_bytes=parts.max_file_bytes)


async def _examine(config: Config, _: ParserPool) -> None:
    path = path_of(config)
    try:
        found = await asyncio.to_thread(find_boxes, str(path.resolve()))
    except OSError as error:
        raise FatalSourceError(f"{str(path)!r} cannot be read: {error.strerror}.", path=str(path)) from None
    if not found.maildirs and not found.mboxes:
        raise FatalSourceError(
            f"{str(path)!r} holds neither a Maildir (a folder with `cur` and `new`) nor an mbox file. A folder of .eml "
            "files is added with `citemark add docs`."
        )


def _options(source: Source, changes: Config) -> Config:
    if set(changes) != {"ocr"}:
        raise InvalidArgument(f"{source.name!r} is of kind {source.kind}, which has only the option --ocr to set.")
    return {**source.config, **changes}


MAILDIR_KIND = SourceKind(
    MAILDIR,
    _connect,
    doc_types=frozenset({MAIL}),
    examine=_examine,
    options=_options,
)
"""A folder with mailboxes, whose mails are documents."""
