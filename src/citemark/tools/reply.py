"""What a tool answers, before it is a message: measured, capped, in both channels."""

import json
from dataclasses import dataclass
from typing import Any

from citemark.evidence.budget import RESULT_BYTES, Usage, json_bytes, settled_usage
from citemark.tools.schema import Strict

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

    def fits(self, reply: Reply) -> bool:
        """Whether the reply stays below the cap as it goes over the wire."""
        packed = self.pack(reply)
        weight = json_bytes(packed.text) + _link_bytes(packed.link)
        return weight + (json_bytes(packed.structured) if packed.structured else 0) <= self._max_bytes

    def pack(self, reply: Reply) -> Packed:
        """Fill in the measured usage. Without structured output the text is the minified JSON of all."""
        payload = reply.out.model_dump(mode="json", exclude_unset=True)

        def with_usage(usage: Usage) -> dict[str, Any]:
            figures = {"tokens_estimate": usage.tokens_estimate, "bytes_returned": usage.bytes_returned}
            return {**payload, "usage": figures}

        if not self._structured:
            return Packed(minified(with_usage(settled_usage("", with_usage))), None, None)
        beside = reply.text + (_link_json(reply.link) if reply.link else "")
        return Packed(reply.text, with_usage(settled_usage(beside, with_usage)), reply.link)


def minified(value: Any) -> str:
    """JSON without a byte of white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _link_json(link: Link) -> str:
    """The size of a link on the wire is that of its own fields and the fixed words around them."""
    fixed = {
        "type": "resource_link",
        "mimeType": "text/plain",
        "annotations": {"audience": ["assistant"], "priority": 0.1, "lastModified": link.last_modified},
    }
    return minified({"uri": link.uri, "name": link.name, "size": link.size, **fixed})


def _link_bytes(link: Link | None) -> int:
    return json_bytes(_link_json(link)) if link else 0
