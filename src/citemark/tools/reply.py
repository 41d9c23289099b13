"""What a tool call returns, before it becomes a message: measured, capped, in both channels; failures in one envelope.

When a result goes to the local user, the path of each cited file is added beside its first citation. Paths are not
part of a citation, which may be passed on and kept.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from citemark.evidence.budget import RESULT_BYTES, Usage, bytes_len, json_bytes, prefix_chars
from citemark.model.errors import CitemarkError
from citemark.model.escaping import one_line
from citemark.tools.schema import ErrorBody, Strict

if TYPE_CHECKING:
    from citemark.services.catalog import LocalFile, LocalFiles

FILE = "file"

_Found: TypeAlias = "dict[str, dict[str, LocalFile]]"
"""Files by source and page."""

_CITED = frozenset({"source", "document_id", "revision_id", "anchor"})
"""Fields that identify a citation among the objects of a result."""


def with_files(payload: dict[str, Any], files: "LocalFiles") -> tuple[dict[str, Any], list[str]]:
    """A result with `file` ({path, link}) beside the first citation of each file that is here, and lines that say so.

    The lines name a file, or the folder below which several documents of a source lie as they are cited.
    """
    if not files.sources:
        return payload, []
    found: _Found = {}
    placed = cast("dict[str, Any]", _placed(payload, files, found, set()))
    lines = [one_line(line) for source, pages in found.items() for line in _places(source, pages)]
    return placed, ["", "On this machine:", *lines] if lines else []


def _places(source: str, pages: "Mapping[str, LocalFile]") -> list[str]:
    """Where the documents of a source lie: their one file, their folder, or each file where neither is all."""
    paths = {file.path for file in pages.values()}
    if len(pages) > 1 and len(paths) == 1:
        (path,) = paths
        return [f"- {source}: {path} ({path.as_uri()})"]
    named = all(str(file.path).endswith(f"/{page}") for page, file in pages.items())
    roots = {str(file.path).removesuffix(page) for page, file in pages.items()}
    if len(pages) > 1 and named and len(roots) == 1:
        (root,) = roots
        return [f"- {source}: below {root}"]
    return [f"- {source}: {page}: {file.path} ({file.link})" for page, file in pages.items()]


def _placed(node: object, files: "LocalFiles", found: "_Found", said: set[str]) -> object:
    if isinstance(node, list):
        return [_placed(entry, files, found, said) for entry in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    whole = cast("dict[str, Any]", node)
    placed: dict[str, Any] = {}
    for key, value in whole.items():
        placed[key] = _placed(value, files, found, said)
        if not isinstance(value, dict) or not cast("dict[str, Any]", value).keys() >= _CITED:
            continue
        citation = cast("dict[str, Any]", value)
        source, document_id = citation["source"], citation["document_id"]
        heading: str | None = citation["anchor"].get("heading")
        file = files.at(source, document_id, heading)
        if file is None and heading is None:  # beside a quote, the document's id alone names the heading
            heading = document_id.partition("#")[2] or None
            file = files.at(source, document_id, heading)
        if file is not None:
            if file.link not in said:
                placed[FILE] = file.as_dict()
            said.add(file.link)
            found.setdefault(source, {}).setdefault(files.page_of(document_id, heading), file)
    return placed


_ENVELOPE_BYTES = 512
"""What the protocol puts around a result: the message id, the result type, the server's name and version."""


@dataclass(frozen=True, slots=True)
class PassageLink:
    """A passage that a host may open as a resource."""

    uri: str
    name: str
    size: int
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class ToolReply:
    """One answer. `out` holds everything, `text` what a person or a text-only model reads."""

    out: Strict
    text: str
    link: PassageLink | None = None


@dataclass(frozen=True, slots=True)
class PackedReply:
    """A reply whose `usage` says what it weighs. `structured` is None where only text is sent."""

    text: str
    structured: dict[str, Any] | None
    link: PassageLink | None


class ReplyPacker:
    """Measures replies and turns them into what is sent."""

    def __init__(self, *, structured: bool, max_bytes: int = RESULT_BYTES) -> None:
        self._structured = structured
        self._max_bytes = max_bytes - _ENVELOPE_BYTES

    def fits(self, reply: ToolReply) -> bool:
        """Whether the reply stays below the cap as it goes over the wire."""
        return self._within(self.pack(reply))

    def pack_with_files(self, reply: ToolReply, files: "LocalFiles") -> PackedReply:
        """`pack`, with the places of local files unless they do not fit: results are not cut for them."""
        packed = self.pack(reply, files)
        return packed if not files.sources or self._within(packed) else self.pack(reply)

    def _within(self, packed: PackedReply) -> bool:
        payload = json_bytes(packed.structured) if packed.structured else 0
        return json_bytes(packed.text) + payload + _link_bytes(packed.link) <= self._max_bytes

    def pack(self, reply: ToolReply, files: "LocalFiles | None" = None) -> PackedReply:
        """Fill in the measured usage. Without structured output the text is the minified JSON of all.

        `files`: the local files that the caller may be given the paths of.
        """
        payload, text = reply.out.model_dump(mode="json", exclude_unset=True), reply.text
        if files is not None:
            payload, lines = with_files(payload, files)
            text = "\n".join([text, *lines])
        if not self._structured:
            return PackedReply(minified(_with_usage(payload, 0)), None, None)
        beside = bytes_len(text) + _link_bytes(reply.link)
        return PackedReply(text, _with_usage(payload, beside), reply.link)


def _with_usage(payload: dict[str, Any], beside: int) -> dict[str, Any]:
    """`payload` with what it weighs as minified JSON, its own figures included, plus `beside` bytes."""
    bare = json_bytes(_with_figures(payload, Usage(0, 0))) + beside - 2
    usage = Usage.of_bytes(bare)
    while (size := bare + len(f"{usage.tokens_estimate}{usage.bytes_returned}")) > usage.bytes_returned:
        usage = Usage.of_bytes(size)
    return _with_figures(payload, usage)


def _with_figures(payload: dict[str, Any], usage: Usage) -> dict[str, Any]:
    """`payload` with its weight; older tools have it under `meta`."""
    if "meta" in payload:
        return {**payload, "meta": {**payload["meta"], "usage": _figures(usage)}}
    return {**payload, "usage": _figures(usage)}


def _figures(usage: Usage) -> dict[str, int]:
    return {"tokens_estimate": usage.tokens_estimate, "bytes_returned": usage.bytes_returned}


def minified(value: Any) -> str:
    """JSON without a byte of white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _link_bytes(link: PassageLink | None) -> int:
    """What a link weighs: its own fields and the fixed words around them."""
    if link is None:
        return 0
    annotations = {"audience": ["assistant"], "priority": 0.1, "lastModified": link.last_modified}
    fields = {"uri": link.uri, "name": link.name, "size": link.size, "type": "resource_link", "mimeType": "text/plain"}
    return json_bytes({**fields, "annotations": annotations})


_MAX_MESSAGE_BYTES = 2000
"""A foreseen failure says what to do in a sentence or two; longer messages quote input back."""

_MAX_DETAILS_BYTES = 4000
"""Details are for programs; more than this would crowd out the conversation."""


def body_of(error: CitemarkError) -> ErrorBody:
    """A foreseen failure; what would not fit a context window is left out."""
    message = error.message[: prefix_chars(error.message, _MAX_MESSAGE_BYTES)]
    return ErrorBody(code=error.code, message=message, details=_small(error.details))


def body_of_crash(error: Exception, tool: str) -> ErrorBody:
    """An unexpected failure: logged under an id that the answer names, and nothing else said."""
    request_id = secrets.token_hex(8)
    _log_crash(error, tool, request_id)
    return ErrorBody(
        code="INTERNAL_ERROR",
        message=f"The call failed for a reason inside the server; its log has it under {request_id}.",
        details={"request_id": request_id},
    )


def _log_crash(error: Exception, tool: str, request_id: str) -> None:
    """Log what it was and where, never the exception's own words, which may quote a document."""
    import structlog  # noqa: PLC0415 - costs a third of a second that a start without failures need not pay

    from citemark.logs import failure_fields  # noqa: PLC0415 - it loads structlog too

    structlog.get_logger(__name__).error(
        "a tool call failed", action="tool_crashed", tool=tool, request_id=request_id, **failure_fields(error)
    )


def _small(details: dict[str, Any]) -> dict[str, Any]:
    try:
        return details if json_bytes(details) <= _MAX_DETAILS_BYTES else {}
    except (TypeError, ValueError):
        return {}
