"""A result as the JSON that every interface gives out, with its own size in it."""

import json
from typing import TYPE_CHECKING

from citemark.results.cited_files import beside_citations
from citemark.results.shape import Strict

if TYPE_CHECKING:
    from citemark.services.catalog import LocalFiles

from typing import Any

from citemark.evidence.budget import Usage, json_bytes


def as_json(out: Strict, files: "LocalFiles") -> dict[str, Any]:
    """A result for programs of the person whose machine this is: with the file of each citation, and with its size."""
    return with_usage(beside_citations(out.model_dump(mode="json", exclude_unset=True), files), 0)


def with_usage(payload: dict[str, Any], beside: int) -> dict[str, Any]:
    """`payload` with its size as minified JSON, the size figures themselves included, plus `beside` bytes."""
    bare = json_bytes(_with_figures(payload, Usage(0, 0))) + beside - 2
    usage = Usage.of_bytes(bare)
    while (size := bare + len(f"{usage.tokens_estimate}{usage.bytes_returned}")) > usage.bytes_returned:
        usage = Usage.of_bytes(size)
    return _with_figures(payload, usage)


def returned_bytes(payload: dict[str, Any]) -> int:
    """The size that `with_usage` wrote into `payload`: its bytes as minified JSON, and those beside it."""
    usage: dict[str, int] = payload.get("meta", payload)["usage"]
    return usage["bytes_returned"]


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
