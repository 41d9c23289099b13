"""The BERT encoder with mean pooling, in onnxruntime's fused operators.

Architecture: Devlin et al. 2019 (post-norm transformer, exact GELU); pooling: Reimers and Gurevych 2019.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from minilm_build.nodes import FUSED, Nodes

HEADS = 12
DIMENSIONS = 384
WORD_TABLE = "words.bin"
"""The file that both graphs read the vectors of the vocabulary from."""

Weights = Mapping[str, npt.NDArray[np.float32]]

Words: TypeAlias = Callable[[Nodes], str]
"""Adds what looks up the vectors of the tokens in `input_ids`, in 32 bits."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What encoders of this architecture differ in."""

    layers: int
    epsilon: float
    opset: int = 20


MINILM = Shape(layers=6, epsilon=1e-12)


class Products(Protocol):
    """How matrices are stored and multiplied: the one thing the two graphs differ in."""

    def attention(self, nodes: Nodes, inputs: tuple[str, str], name: str, weight: Weights) -> str:
        """Self-attention of (hidden, mask), including the three input projections."""
        ...

    def linear(self, nodes: Nodes, hidden: str, name: str, weight: Weights) -> str:
        """Hidden times the matrix of this name, without bias."""
        ...


def encoder(
    weights: Weights, products: Products, name: str, shape: Shape = MINILM, words: Words | None = None
) -> bytes:
    """Build one serialised graph: token ids to unit vectors.

    Without `words` it has to lie beside the file `WORD_TABLE`.
    """
    nodes = Nodes(shape.opset)
    hidden = _embeddings(nodes, weights, shape, words or partial(_half_words, weights))
    for layer in range(shape.layers):
        hidden = _layer(nodes, hidden, f"encoder.layer.{layer}", weights, products, shape)
    return nodes.model(name, _pool(nodes, hidden), DIMENSIONS)


def word_table(weights: Weights) -> npt.NDArray[np.float16]:
    """A row for each token of the vocabulary, in little-endian 16 bits."""
    return np.ascontiguousarray(weights["embeddings.word_embeddings.weight"], np.dtype("<f2"))


def _half_words(weights: Weights, nodes: Nodes) -> str:
    # Gathering before widening keeps the table at 16 bits in memory: only the rows in use are converted.
    table = nodes.kept_in(WORD_TABLE, "words", word_table(weights))
    return nodes.widen(nodes.run("Gather", [table, "input_ids"]))


def _embeddings(nodes: Nodes, weights: Weights, shape: Shape, look_up: Words) -> str:
    words = look_up(nodes)
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    positions = nodes.weight("positions", weights["embeddings.position_embeddings.weight"] + segment)
    zero, one, two = (nodes.weight(f"int.{k}", np.array([k], np.int64)) for k in range(3))
    length = nodes.run("Slice", [nodes.run("Shape", ["input_ids"]), one, two])
    summed = nodes.run("Add", [words, nodes.run("Slice", [positions, zero, length, zero])])
    scale, shift = _norm(nodes, "embeddings.LayerNorm", weights)
    return nodes.run("LayerNormalization", [summed, scale, shift], axis=-1, epsilon=shape.epsilon)


def _layer(nodes: Nodes, hidden: str, name: str, weights: Weights, products: Products, shape: Shape) -> str:
    attended = products.attention(nodes, (hidden, "attention_mask"), f"{name}.attention.self", weights)
    projected = products.linear(nodes, attended, f"{name}.attention.output.dense", weights)
    hidden = _add_and_norm(nodes, projected, hidden, f"{name}.attention.output", weights, shape)
    inner = products.linear(nodes, hidden, f"{name}.intermediate.dense", weights)
    bias = nodes.weight(f"{name}.intermediate.bias", weights[f"{name}.intermediate.dense.bias"])
    active = nodes.run("BiasGelu", [inner, bias], domain=FUSED)
    outer = products.linear(nodes, active, f"{name}.output.dense", weights)
    return _add_and_norm(nodes, outer, hidden, f"{name}.output", weights, shape)


def _add_and_norm(nodes: Nodes, new: str, skipped: str, name: str, weights: Weights, shape: Shape) -> str:
    scale, shift = _norm(nodes, f"{name}.LayerNorm", weights)
    bias = nodes.weight(f"{name}.bias", weights[f"{name}.dense.bias"])
    inputs = [new, skipped, scale, shift, bias]
    return nodes.run("SkipLayerNormalization", inputs, domain=FUSED, epsilon=shape.epsilon)


def _norm(nodes: Nodes, name: str, weights: Weights) -> tuple[str, str]:
    return (
        nodes.weight(f"{name}.scale", weights[f"{name}.weight"]),
        nodes.weight(f"{name}.shift", weights[f"{name}.bias"]),
    )


def _pool(nodes: Nodes, hidden: str) -> str:
    """Mean over the tokens that are text, then unit length; the mean's divisor cancels in the norm."""
    last = nodes.weight("axis.last", np.array([2], np.int64))
    tokens = nodes.weight("axis.tokens", np.array([1], np.int64))
    mask = nodes.run("Unsqueeze", [nodes.widen("attention_mask"), last])
    summed = nodes.run("ReduceSum", [nodes.run("Mul", [hidden, mask]), tokens], keepdims=0)
    return nodes.run("LpNormalization", [summed], axis=-1, p=2)
