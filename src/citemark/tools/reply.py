"""What a tool call returns before it becomes a message: measured, capped, as text and data; errors in one envelope.

When a result goes to the local user, the path of each cited file is added beside the first citation of the file. Paths
are not part of a citation, because citations may be passed on and kept.
"""

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from citemark.evidence.budget import RESULT_BYTES, bytes_len, json_bytes, prefix_chars
from citemark.model.errors import CitemarkError
from citemark.model.scope import Principal
from citemark.results.cited_files import with_files
from citemark.results.revealing import revealed_result
from citemark.results.shape import ErrorBody, Strict
from citemark.results.written import minified, returned_bytes, with_usage
from citemark.services.advice import for_reader
from citemark.text.hidden import shown_as_it_is

if TYPE_CHECKING:
    from citemark.services.catalog import LocalFiles


_ENVELOPE_BYTES = 512
"""Bytes that the protocol adds around a result: message id, result type, the server's name and version."""


_ROOM_TO_SPARE = 1024
"""Bytes by which JSON that is written in another way, and the figures of its size, cannot differ."""


@dataclass(frozen=True, slots=True)
class PassageLink:
    """A link to a passage, which a host may open as a resource."""

    uri: str
    name: str
    size: int
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A link to a cited document at its own address, which a person may open."""

    uri: str
    name: str


Link: TypeAlias = PassageLink | DocumentLink


@dataclass(frozen=True, slots=True)
class ToolReply:
    """One answer. `out` holds all of it as data, `text` is what a person or a text-only model reads.

    `is_json`: the text is the JSON of the data, without its size and without paths of local files.
    """

    out: Strict
    text: str
    links: tuple[Link, ...] = ()
    is_json: bool = False

    @classmethod
    def as_json(cls, out: Strict) -> "ToolReply":
        """The answer of a tool whose clients read the JSON of its data from its text, and nothing besides."""
        return cls(out, "", is_json=True)


@dataclass(frozen=True, slots=True)
class PackedReply:
    """A reply whose `usage` states its size, without that of the `fragment`, which no model reads.

    `structured` is None if only text is sent, and has `structured_bytes` as minified JSON (0 for None); `fragment` is
    what an app shows of the reply, as HTML.
    """

    text: str
    structured: dict[str, Any] | None
    structured_bytes: int
    links: tuple[Link, ...] = ()
    fragment: str | None = None


class ReplyPacker:
    """Measures replies and packs them for sending."""

    def __init__(self, *, structured: bool, max_bytes: int = RESULT_BYTES) -> None:
        self._structured = structured
        self._max_bytes = max_bytes - _ENVELOPE_BYTES

    def fits(self, reply: ToolReply) -> bool:
        """Whether the reply stays below the byte cap in the form in which it is sent."""
        return self._plainly_fits(reply) or self.within(self.pack(reply))

    def _plainly_fits(self, reply: ToolReply) -> bool:
        """Whether a reply without hidden characters has room to spare, which is seen without packing it."""
        if reply.is_json or not self._structured or not reply.text.isascii():
            return False
        written = reply.out.model_dump_json(exclude_unset=True)
        size = bytes_len(written) + json_bytes(reply.text) + sum(map(_link_bytes, reply.links))
        return size + _ROOM_TO_SPARE <= self._max_bytes and shown_as_it_is(written)

    def pack_with_files(self, reply: ToolReply, files: "LocalFiles") -> PackedReply:
        """`pack` the reply with the paths of local files, or without if they do not fit: no result is cut for them."""
        packed = self.pack(reply, files)
        return packed if not files.sources or self.within(packed) else self.pack(reply)

    def within(self, packed: PackedReply) -> bool:
        """Whether a packed reply stays below the byte cap."""
        fragment = json_bytes(packed.fragment) if packed.fragment else 0
        around = fragment + sum(map(_link_bytes, packed.links))
        return json_bytes(packed.text) + packed.structured_bytes + around <= self._max_bytes

    def with_fragment(self, packed: PackedReply, fragment: str | None) -> PackedReply:
        """A packed reply with what an app shows of it, or without if both do not fit: the app then shows the text."""
        whole = replace(packed, fragment=fragment)
        return whole if self.within(whole) else packed

    def pack(self, reply: ToolReply, files: "LocalFiles | None" = None) -> PackedReply:
        """Fill in the measured usage. Without structured output, the text is the minified JSON of the whole result.

        `files`: the local files whose paths the caller may be given.
        """
        payload, text = reply.out.model_dump(mode="json", exclude_unset=True), reply.text
        if reply.is_json:
            payload, _ = revealed_result(payload, "")
            written = minified(payload)
            sent = (payload, bytes_len(written)) if self._structured else (None, 0)
            return PackedReply(written, *sent)
        if files is not None:
            payload, lines = with_files(payload, files)
            text = "\n".join([text, *lines])
        payload, text = revealed_result(payload, text)
        if not self._structured:
            return PackedReply(minified(with_usage(payload, 0)), None, 0)
        beside = bytes_len(text) + sum(map(_link_bytes, reply.links))
        payload = with_usage(payload, beside)
        return PackedReply(text, payload, returned_bytes(payload) - beside, reply.links)


def _link_bytes(link: Link) -> int:
    """The size of a link: its own fields and the fixed fields around them."""
    if isinstance(link, DocumentLink):
        return json_bytes({"uri": link.uri, "name": link.name, "type": "resource_link"})
    annotations = {"audience": ["assistant"], "priority": 0.1, "lastModified": link.last_modified}
    fields = {"uri": link.uri, "name": link.name, "size": link.size, "type": "resource_link", "mimeType": "text/plain"}
    return json_bytes({**fields, "annotations": annotations})


_MAX_MESSAGE_BYTES = 2000
"""An expected error says what to do in a sentence or two; longer messages quote input back."""

_MAX_DETAILS_BYTES = 4000
"""Details are for programs; larger ones would crowd out the conversation."""


def body_of(error: CitemarkError, reader: Principal | None) -> ErrorBody:
    """The body for an expected error, with advice that its reader can follow; None is a caller who is not known.

    A long message is cut, and details too large for a context window are dropped.
    """
    message = for_reader(error.message, reader)
    message = message[: prefix_chars(message, _MAX_MESSAGE_BYTES)]
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
