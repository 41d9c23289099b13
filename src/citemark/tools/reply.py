"""What a tool call returns before it becomes a message: measured, capped, as text and data; errors in one envelope.

When a result goes to the local user, the path of each cited file is added beside the first citation of the file. Paths
are not part of a citation, because citations may be passed on and kept.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from citemark.evidence.budget import RESULT_BYTES, Usage, bytes_len, json_bytes, prefix_chars
from citemark.model.errors import CitemarkError
from citemark.results.revealing import revealed_result
from citemark.results.shape import Strict
from citemark.text.escaping import one_line
from citemark.tools.schema import ErrorBody

if TYPE_CHECKING:
    from citemark.services.catalog import LocalFile, LocalFiles

FILE = "file"

_CitedFiles: TypeAlias = "dict[str, dict[str, LocalFile]]"
"""Files by source and page."""

_CITED = frozenset({"source", "document_id", "revision_id", "anchor"})
"""The fields by which a citation is recognized among the objects of a result."""


def with_files(payload: dict[str, Any], files: "LocalFiles") -> tuple[dict[str, Any], list[str]]:
    """A result with `file` ({path, link}) beside the first citation of each file on this machine, and lines about them.

    A line names a file, or the folder that contains several cited documents of a source under the paths cited.
    """
    if not files.sources:
        return payload, []
    cited_files: _CitedFiles = {}
    annotated = cast("dict[str, Any]", _with_file_fields(payload, files, cited_files, set()))
    lines = [one_line(line) for source, pages in cited_files.items() for line in _location_lines(source, pages)]
    if len(lines) == 1:
        return annotated, [f"On this machine: {lines[0].removeprefix('- ')}"]
    return annotated, ["", "On this machine:", *lines] if lines else []


def _location_lines(source: str, pages: "Mapping[str, LocalFile]") -> list[str]:
    """Where the documents of a source are: their one file or their one folder, or else a line for each file."""
    paths = {file.path for file in pages.values()}
    if len(pages) > 1 and len(paths) == 1:
        (path,) = paths
        return [f"- {source}: {path} ({path.as_uri()})"]
    paths_end_with_pages = all(str(file.path).endswith(f"/{page}") for page, file in pages.items())
    roots = {str(file.path).removesuffix(page) for page, file in pages.items()}
    if len(pages) > 1 and paths_end_with_pages and len(roots) == 1:
        (root,) = roots
        return [f"- {source}: below {root}"]
    return [f"- {source}: {page}: {file.path} ({file.link})" for page, file in pages.items()]


def _with_file_fields(node: object, files: "LocalFiles", cited_files: "_CitedFiles", seen_links: set[str]) -> object:
    """`node` with `file` fields added; collects the files of its citations in `cited_files` and `seen_links`."""
    if isinstance(node, list):
        return [_with_file_fields(entry, files, cited_files, seen_links) for entry in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    whole = cast("dict[str, Any]", node)
    annotated: dict[str, Any] = {}
    for key, value in whole.items():
        annotated[key] = _with_file_fields(value, files, cited_files, seen_links)
        if not isinstance(value, dict) or not cast("dict[str, Any]", value).keys() >= _CITED:
            continue
        citation = cast("dict[str, Any]", value)
        source, document_id = citation["source"], citation["document_id"]
        heading: str | None = citation["anchor"].get("heading")
        file = files.at(source, document_id, heading)
        if file is None and heading is None:  # in a citation beside a quote, only the document's id names the heading
            heading = document_id.partition("#")[2] or None
            file = files.at(source, document_id, heading)
        if file is not None:
            if file.link not in seen_links:
                annotated[FILE] = file.as_dict()
            seen_links.add(file.link)
            cited_files.setdefault(source, {}).setdefault(files.page_of(document_id, heading), file)
    return annotated


_ENVELOPE_BYTES = 512
"""Bytes that the protocol adds around a result: message id, result type, the server's name and version."""


@dataclass(frozen=True, slots=True)
class PassageLink:
    """A link to a passage, which a host may open as a resource."""

    uri: str
    name: str
    size: int
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class ToolReply:
    """One answer. `out` holds all of it as data, `text` is what a person or a text-only model reads."""

    out: Strict
    text: str
    link: PassageLink | None = None


@dataclass(frozen=True, slots=True)
class PackedReply:
    """A reply whose `usage` states its size. `structured` is None if only text is sent."""

    text: str
    structured: dict[str, Any] | None
    link: PassageLink | None


class ReplyPacker:
    """Measures replies and packs them for sending."""

    def __init__(self, *, structured: bool, max_bytes: int = RESULT_BYTES) -> None:
        self._structured = structured
        self._max_bytes = max_bytes - _ENVELOPE_BYTES

    def fits(self, reply: ToolReply) -> bool:
        """Whether the reply stays below the byte cap in the form in which it is sent."""
        return self._within(self.pack(reply))

    def pack_with_files(self, reply: ToolReply, files: "LocalFiles") -> PackedReply:
        """`pack` the reply with the paths of local files, or without if they do not fit: no result is cut for them."""
        packed = self.pack(reply, files)
        return packed if not files.sources or self._within(packed) else self.pack(reply)

    def _within(self, packed: PackedReply) -> bool:
        payload = json_bytes(packed.structured) if packed.structured else 0
        return json_bytes(packed.text) + payload + _link_bytes(packed.link) <= self._max_bytes

    def pack(self, reply: ToolReply, files: "LocalFiles | None" = None) -> PackedReply:
        """Fill in the measured usage. Without structured output, the text is the minified JSON of the whole result.

        `files`: the local files whose paths the caller may be given.
        """
        payload, text = reply.out.model_dump(mode="json", exclude_unset=True), reply.text
        if files is not None:
            payload, lines = with_files(payload, files)
            text = "\n".join([text, *lines])
        payload, text = revealed_result(payload, text)
        if not self._structured:
            return PackedReply(minified(_with_usage(payload, 0)), None, None)
        beside = bytes_len(text) + _link_bytes(reply.link)
        return PackedReply(text, _with_usage(payload, beside), reply.link)


def _with_usage(payload: dict[str, Any], beside: int) -> dict[str, Any]:
    """`payload` with its size as minified JSON, the size figures themselves included, plus `beside` bytes."""
    bare = json_bytes(_with_figures(payload, Usage(0, 0))) + beside - 2
    usage = Usage.of_bytes(bare)
    while (size := bare + len(f"{usage.tokens_estimate}{usage.bytes_returned}")) > usage.bytes_returned:
        usage = Usage.of_bytes(size)
    return _with_figures(payload, usage)


def _with_figures(payload: dict[str, Any], usage: Usage) -> dict[str, Any]:
    """`payload` with its usage figures; the legacy tools have them under `meta`."""
    if "meta" in payload:
        return {**payload, "meta": {**payload["meta"], "usage": _figures(usage)}}
    return {**payload, "usage": _figures(usage)}


def _figures(usage: Usage) -> dict[str, int]:
    return {"tokens_estimate": usage.tokens_estimate, "bytes_returned": usage.bytes_returned}


def minified(value: Any) -> str:
    """JSON without any white space between its parts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _link_bytes(link: PassageLink | None) -> int:
    """The size of a link: its own fields and the fixed fields around them."""
    if link is None:
        return 0
    annotations = {"audience": ["assistant"], "priority": 0.1, "lastModified": link.last_modified}
    fields = {"uri": link.uri, "name": link.name, "size": link.size, "type": "resource_link", "mimeType": "text/plain"}
    return json_bytes({**fields, "annotations": annotations})


_MAX_MESSAGE_BYTES = 2000
"""An expected error says what to do in a sentence or two; longer messages quote input back."""

_MAX_DETAILS_BYTES = 4000
"""Details are for programs; larger ones would crowd out the conversation."""


def body_of(error: CitemarkError) -> ErrorBody:
    """The body for an expected error. A long message is cut, and details too large for a context window are dropped."""
    message = error.message[: prefix_chars(error.message, _MAX_MESSAGE_BYTES)]
    return ErrorBody(code=error.code, message=message, details=_small(error.details))


def body_of_crash(error: Exception, tool: str) -> ErrorBody:
    """The body for an unexpected error: it is logged under an id, and the answer gives that id and nothing more."""
    request_id = secrets.token_hex(8)
    _log_crash(error, tool, request_id)
    return ErrorBody(
        code="INTERNAL_ERROR",
        message=f"The call failed for a reason inside the server; its log has it under {request_id}.",
        details={"request_id": request_id},
    )


def _log_crash(error: Exception, tool: str, request_id: str) -> None:
    """Log the type and place of an exception, never its message, which may quote a document."""
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
