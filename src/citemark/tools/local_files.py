"""Path and link of the file of each citation, put beside it when a result goes to the person whose machine it is.

They are no part of a citation, which may be passed on and kept: only what is sent to that person holds them.
"""

from typing import TYPE_CHECKING, Any, cast

from citemark.model.escaping import one_line

if TYPE_CHECKING:
    from citemark.evidence.local_files import LocalFile, LocalFiles

FILE = "file"
_CITED = frozenset({"source", "document_id", "revision_id", "anchor"})
"""Fields by which a citation is told from other objects of a result."""


def with_files(payload: dict[str, Any], files: "LocalFiles") -> tuple[dict[str, Any], list[str]]:
    """A result with `file` ({path, link}) beside each citation whose file is on this machine, and lines that say so."""
    if not files.sources:
        return payload, []
    found: dict[str, LocalFile] = {}
    placed = cast("dict[str, Any]", _placed(payload, files, found))
    lines = [one_line(f"- {named}: {file.path} ({file.link})") for named, file in found.items()]
    return placed, ["", "On this machine:", *lines] if lines else []


def _placed(node: object, files: "LocalFiles", found: dict[str, "LocalFile"]) -> object:
    if isinstance(node, list):
        return [_placed(entry, files, found) for entry in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    whole = cast("dict[str, Any]", node)
    placed: dict[str, Any] = {}
    for key, value in whole.items():
        placed[key] = _placed(value, files, found)
        if not isinstance(value, dict) or not cast("dict[str, Any]", value).keys() >= _CITED:
            continue
        citation = cast("dict[str, Any]", value)
        heading: str | None = citation["anchor"].get("heading")
        file = files.at(citation["source"], citation["document_id"], heading)
        if file is not None:
            placed[FILE] = file.as_dict()
            page = files.page_of(citation["document_id"], heading)
            found.setdefault(f"{citation['source']}: {page}", file)
    return placed
