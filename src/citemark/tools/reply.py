"""What a tool answers, before it is a message: measured, capped, in both channels."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citemark.evidence.budget import RESULT_BYTES, Usage, json_bytes
from citemark.evidence.tokens import bytes_len
from citemark.tools.local_files import with_files
from citemark.tools.schema import Strict

if TYPE_CHECKING:
    from citemark.evidence.local_files import LocalFiles

_ENVELOPE_BYTES = 512
"""What the protocol puts around a result: the message id, the result type, the server's name and version."""


@dataclass(frozen=True, slots=True)
class Link:
    """A passage that a host may open as a resource."""

    uri: str
    name: str
    size: int
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `out` holds everything, `text` what a person or a text-only model reads."""

    out: Strict
    text: str
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Packed:
    """A reply whose `usage` says what it weighs. `structured` is None where only text is sent."""

    text: str
    structured: dict[str, Any] | None
    link: Link | None


class Packer:
    """Measures replies and turns them into what is sent."""

    def __init__(self, *, structured: bool, max_bytes: int = RESULT_BYTES) -> None:
        self._structured = structured
        self._max_bytes = max_bytes - _ENVELOPE_BYTES

    def fits(self, reply: Reply, files: "LocalFiles | None" = None) -> bool:
        """Whether the reply stays below the cap as it goes over the wire."""
        packed = self.pack(reply, files)
        payload = json_bytes(packed.structured) if packed.structured else 0
        return json_bytes(packed.text) + payload + _link_bytes(packed.link) <= self._max_bytes

    def pack(self, reply: Reply, files: "LocalFiles | None" = None) -> Packed:
        """Fill in the measured usage. Without structured output the text is the minified JSON of all.

        `files`: those that whoever asked may be told the places of.
        """
        payload, text = reply.out.model_dump(mode="json", exclude_unset=True), reply.text
        if files is not None:
            payload, lines = with_files(payload, files)
            text = "\n".join([text, *lines])
        if not self._structured:
            return Packed(minified(_with_usage(payload, 0)), None, None)
        beside = bytes_len(text) + _link_bytes(reply.link)
        return Packed(text, _with_usage(payload, beside), reply.link)


def _with_usage(payload: dict[str, Any], beside: int) -> dict[str, Any]:
    """`payload` with what it weighs as minified JSON, its own figures included, plus `beside` bytes."""
    bare = json_bytes({**payload, "usage": _figures(Usage(0, 0))}) + beside - 2
    usage = Usage.of_bytes(bare)
    while (size := bare + len(f"{usage.tokens_estimate}{usage.bytes_returned}")) > usage.bytes_returned:
        usage = Usage.of_bytes(size)
    return {**payload, "usage": _figures(usage)}


def _figures(usage: Usage) -> dict[str, int]:
    return {"tokens_estimate": usage.tokens_estimate, "bytes_returned": usage.bytes_returned}


def minified(value: Any) -> str:
    """JSON without a byte of white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _link_bytes(link: Link | None) -> int:
    """What a link weighs: its own fields and the fixed words around them."""
    if link is None:
        return 0
    annotations = {"audience": ["assistant"], "priority": 0.1, "lastModified": link.last_modified}
    fields = {"uri": link.uri, "name": link.name, "size": link.size, "type": "resource_link", "mimeType": "text/plain"}
    return json_bytes({**fields, "annotations": annotations})
