"""The two ways the graphs multiply: 32-bit floats, and 8-bit integers scaled as they go."""

import numpy as np
import numpy.typing as npt

from minilm_build.encoder import HEADS, Weights
from minilm_build.nodes import FUSED, Nodes

INT8_LIMIT = 63
"""Largest weight: 7 bits, because 8-bit products overflow 16-bit sums on x86 processors without VNNI."""


class Float32:
    """Weights stored in 16 bits, multiplied in 32."""

    def attention(self, nodes: Nodes, inputs: tuple[str, str], name: str, weight: Weights) -> str:
        """See `Products`."""
        matrix, bias = _joined(name, weight)
        arguments = [inputs[0], nodes.half(name, matrix), nodes.weight(f"{name}.bias", bias), inputs[1]]
        return nodes.run("Attention", arguments, domain=FUSED, num_heads=HEADS)

    def linear(self, nodes: Nodes, hidden: str, name: str, weight: npt.NDArray[np.float32]) -> str:
        """See `Products`."""
        return nodes.run("MatMul", [hidden, nodes.half(name, weight)])


class Int8:
    """Weights with one scale per output column, activations with one scale per batch, found at run time."""

    def attention(self, nodes: Nodes, inputs: tuple[str, str], name: str, weight: Weights) -> str:
        """See `Products`."""
        matrix, bias = _joined(name, weight)
        integers, scales = _quantised(nodes, name, matrix)
        hidden, hidden_scale, hidden_zero = nodes.run_many("DynamicQuantizeLinear", [inputs[0]], 3)
        zero = nodes.weight(f"{name}.zero", np.zeros(1, np.int8)[0:1].reshape(()))
        bias_name = nodes.weight(f"{name}.bias", bias)
        arguments = [hidden, integers, bias_name, hidden_scale, scales, inputs[1], hidden_zero, zero]
        return nodes.run("QAttention", arguments, domain=FUSED, num_heads=HEADS)

    def linear(self, nodes: Nodes, hidden: str, name: str, weight: npt.NDArray[np.float32]) -> str:
        """See `Products`."""
        return nodes.run("DynamicQuantizeMatMul", [hidden, *_quantised(nodes, name, weight)], domain=FUSED)


def _joined(name: str, weight: Weights) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The three input projections side by side: (in, 3 x out) and (3 x out)."""
    parts = [f"{name}.{each}" for each in ("query", "key", "value")]
    matrix = np.concatenate([weight[f"{part}.weight"].T for part in parts], axis=1)
    return matrix, np.concatenate([weight[f"{part}.bias"] for part in parts])


def _quantised(nodes: Nodes, name: str, matrix: npt.NDArray[np.float32]) -> tuple[str, str]:
    """Symmetric rounding per output column; returns the names of integers and scales."""
    scales = (np.abs(matrix).max(axis=0) / INT8_LIMIT).astype(np.float32)
    integers = np.rint(matrix / scales).astype(np.int8)
    return nodes.weight(f"{name}.int8", integers), nodes.weight(f"{name}.scales", scales)
