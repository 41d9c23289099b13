"""The two ways the graphs multiply: 32-bit floats, and 8-bit integers scaled as they go."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from minilm_build.encoder import HEADS, Weights
from minilm_build.nodes import FUSED, Nodes

PROJECTIONS = ("query", "key", "value")
WEIGHT_LIMIT = 63
"""Largest weight: 7 bits, because 8-bit products overflow 16-bit sums on x86 processors without VNNI."""


class Matrices(Protocol):
    """How a graph gets the matrices that it multiplies by in 8 bits."""

    def integers(self, nodes: Nodes, name: str, weight: Weights, scales: npt.NDArray[np.float32]) -> str:
        """One matrix: (in, out), each column divided by its scale and rounded."""
        ...


class Stored:
    """The graph has them as they are."""

    def integers(self, nodes: Nodes, name: str, weight: Weights, scales: npt.NDArray[np.float32]) -> str:
        """See `Matrices`."""
        return nodes.weight(f"{name}.int8", np.rint(weight[f"{name}.weight"].T / scales).astype(np.int8))


class Float32:
    """Weights stored in 16 bits, multiplied in 32."""

    def attention(self, nodes: Nodes, inputs: tuple[str, str], name: str, weight: Weights) -> str:
        """See `Products`."""
        parts = [f"{name}.{each}" for each in PROJECTIONS]
        matrix = np.concatenate([weight[f"{part}.weight"].T for part in parts], axis=1)
        bias = biases(parts, weight)
        arguments = [inputs[0], nodes.half(name, matrix), nodes.weight(f"{name}.bias", bias), inputs[1]]
        return nodes.run("Attention", arguments, domain=FUSED, num_heads=HEADS)

    def linear(self, nodes: Nodes, hidden: str, name: str, weight: Weights) -> str:
        """See `Products`."""
        return nodes.run("MatMul", [hidden, nodes.half(name, weight[f"{name}.weight"].T)])


class Int8:
    """Weights with one scale per output column, activations with one scale per token.

    A scale per token, found at run time, makes the vector of a text independent of the texts it shares a batch
    with; the scale per batch of onnxruntime's own dynamic operators does not.
    """

    def __init__(self, matrices: Matrices | None = None) -> None:
        self._matrices = matrices or Stored()

    def attention(self, nodes: Nodes, inputs: tuple[str, str], name: str, weight: Weights) -> str:
        """See `Products`."""
        tokens = _Tokens(nodes, inputs[0], name, self._matrices)
        parts = [f"{name}.{each}" for each in PROJECTIONS]
        projected = [tokens.times(part, weight) for part in parts]
        bias = nodes.weight(f"{name}.bias", biases(parts, weight))
        return nodes.run("MultiHeadAttention", [*projected, bias, inputs[1]], domain=FUSED, num_heads=HEADS)

    def linear(self, nodes: Nodes, hidden: str, name: str, weight: Weights) -> str:
        """See `Products`."""
        return _Tokens(nodes, hidden, name, self._matrices).times(name, weight)


class _Tokens:
    """Activations as unsigned bytes around 128, each token stretched to its own largest value."""

    def __init__(self, nodes: Nodes, hidden: str, name: str, matrices: Matrices) -> None:
        axis = nodes.weight(f"{name}.axis", np.array([-1], np.int64))
        tiny = nodes.weight(f"{name}.tiny", np.array(1e-12, np.float32))
        highest = nodes.run("ReduceMax", [hidden, axis], keepdims=1)
        lowest = nodes.run("Neg", [nodes.run("ReduceMin", [hidden, axis], keepdims=1)])
        self._nodes = nodes
        self._matrices = matrices
        self._reach = nodes.run("Max", [highest, lowest, tiny])
        self._step = nodes.weight(f"{name}.step", np.array(1 / 127, np.float32))
        self._zero = nodes.weight(f"{name}.zero", np.array(128, np.uint8))
        stretched = nodes.run("Div", [hidden, self._reach])
        self._bytes = nodes.run("QuantizeLinear", [stretched, self._step, self._zero])

    def times(self, name: str, weight: Weights) -> str:
        """Multiply by the matrix of this name, rounded symmetrically per output column."""
        scales = (np.abs(weight[f"{name}.weight"].T).max(axis=0) / WEIGHT_LIMIT).astype(np.float32)
        integers = self._matrices.integers(self._nodes, name, weight, scales)
        inputs = [self._bytes, integers, self._step, self._nodes.weight(f"{name}.scales", scales), self._zero]
        return self._nodes.run("Mul", [self._nodes.run("MatMulIntegerToFloat", inputs, domain=FUSED), self._reach])


def biases(parts: Sequence[str], weight: Weights) -> npt.NDArray[np.float32]:
    """The biases of these names, one after another."""
    return np.concatenate([weight[f"{part}.bias"] for part in parts])
