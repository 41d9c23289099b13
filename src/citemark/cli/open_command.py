"""`citemark open`: the lines of a citation, as they were at its revision."""

import json
from collections.abc import Sequence
from typing import Any, cast

from citemark.cli.command_context import CommandContext
from citemark.cli.search_command import cited, local_files
from citemark.cli.styled import Styled, faint
from citemark.model.errors import InvalidArgument
from citemark.services.app_context import AppContext
from citemark.services.requests import Caller, CitationRef

_PARTS = 3
"""Source, document and revision, if no JSON is given."""


async def open_command(run: CommandContext, app: AppContext, words: Sequence[str]) -> int:
    """Show the cited lines.

    Raises:
        InvalidArgument: it is not a citation, or what it cites does not exist (any more).
        BackendUnavailable: the source cannot vouch for the document right now.
    """
    passage = await app.services.reopening.reopen(Caller.local(), citation_ref(words))
    data = {**cited(passage.citation, await local_files(app)), "text": passage.text, "superseded": passage.superseded}
    text = Styled()
    text.extend(passage.text.split("\n"))
    text.line(faint(f"[{passage.citation.render()}]"))
    if passage.superseded:
        text.line("Another revision has taken its place, or the document is gone.")
    run.show(data, text)
    return 0


def citation_ref(words: Sequence[str]) -> CitationRef:
    """The citation that the arguments give: its JSON, or source, document and revision.

    Raises:
        InvalidArgument: they do not give a citation.
    """
    if len(words) == _PARTS:
        return CitationRef(words[0], words[1], words[2])
    fields = _object(_read(words[0]) if len(words) == 1 else None)
    fields = _object(fields["citation"]) if "citation" in fields else fields
    source, document, revision = (fields.get(name) for name in ("source", "document_id", "revision_id"))
    if not isinstance(source, str) or not isinstance(document, str) or not isinstance(revision, str | int):
        raise InvalidArgument(
            "Give the JSON of a citation with source, document_id and revision_id, or these three as words."
        )
    span = _object(fields.get("span"))
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
