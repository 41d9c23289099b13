"""Matrices in four bits, in one file beside the graphs, which widen them: as they run, row by row, or whole at load.

A row is divided into blocks of 32 values: each is a number from 0 to 15, less 8, times the 16-bit scale of its block.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from minilm_build.encoder import HEADS, Weights
from minilm_build.nodes import FUSED, Nodes
from minilm_build.products import PROJECTIONS, biases

BLOCK = 32
"""Values of a block."""

MIDDLE = 8
"""What is subtracted from each number."""

FILE = "weights.bin"
_PAGE = 4096
"""Each tensor begins at a multiple of this, so that it can be mapped into memory."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """One matrix.

    `pairs` have the shape (rows, columns / 2), the first number of each in the lower half of its byte; `scales` have
    the shape (rows, columns / 32).
    """

    pairs: npt.NDArray[np.uint8]
    scales: npt.NDArray[np.float16]

    @classmethod
    def of(cls, content: bytes, columns: int) -> Self:
        """Take blocks as ggml has them: a scale, then 16 bytes, whose lower halves are the first 16 numbers."""
        each = np.frombuffer(content, np.uint8).reshape(-1, columns // BLOCK, 2 + BLOCK // 2)
        scales = np.ascontiguousarray(each[..., :2]).view("<f2")[..., 0]
        return cls.packed(np.concatenate([each[..., 2:] & 15, each[..., 2:] >> 4], axis=-1), scales)

    @classmethod
    def packed(cls, numbers: npt.NDArray[np.uint8], scales: npt.NDArray[np.float16]) -> Self:
        """Take single numbers of shape (rows, blocks, 32)."""
        return cls((numbers[..., ::2] | numbers[..., 1::2] << 4).reshape(len(numbers), -1), scales)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.pairs)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return 2 * self.pairs.shape[1]

    def widened(self) -> npt.NDArray[np.float32]:
        """The values in 32 bits, shape (rows, columns): to the last bit what a graph makes of them."""
        numbers = np.stack([self.pairs & 15, self.pairs >> 4], axis=-1).astype(np.float32) - MIDDLE
        scales = self.scales.astype(np.float32)[..., None]
        return (numbers.reshape(*self.scales.shape, BLOCK) * scales).reshape(self.rows, self.columns)


class BlockFile:
    """The file with all matrices, which the graphs for questions and for documents share."""

    def __init__(self, blocks: Mapping[str, Blocks]) -> None:
        self._blocks = dict(blocks)
        self._places: dict[str, tuple[int, int]] = {}
        self.content = bytearray()
        for name, each in self._blocks.items():
            self._places[name] = (self._add(each.pairs), self._add(each.scales))

    def _add(self, values: npt.NDArray[np.generic]) -> int:
        self.content += bytes(-len(self.content) % _PAGE)
        place = len(self.content)
        self.content += values.tobytes()
        return place

    def rows(self, nodes: Nodes, name: str, indexes: str) -> str:
        """Rows of a matrix in 32 bits, one for each index of (batch, tokens); a byte is taken apart by arithmetic."""
        each, (place, scale_place) = self._blocks[name], self._places[name]
        pairs = nodes.kept_in(FILE, f"{name}.pairs", each.pairs, place)
        scales = nodes.kept_in(FILE, f"{name}.scales", each.scales[..., None], scale_place)
        bytes_, factors = (nodes.widen(nodes.run("Gather", [kept, indexes])) for kept in (pairs, scales))
        sixteenth, sixteen, middle = (
            nodes.weight(f"{name}.{label}", np.array(value, np.float32))
            for label, value in (("sixteenth", 1 / 16), ("sixteen", 16), ("middle", MIDDLE))
        )
        upper = nodes.run("Floor", [nodes.run("Mul", [bytes_, sixteenth])])
        lower = nodes.run("Sub", [bytes_, nodes.run("Mul", [upper, sixteen])])
        last = nodes.weight(f"{name}.last", np.array([-1], np.int64))
        apart = nodes.run("Concat", [nodes.run("Unsqueeze", [half, last]) for half in (lower, upper)], axis=-1)
        blocks = nodes.weight(f"{name}.blocks", np.array([0, 0, each.columns // BLOCK, BLOCK], np.int64))
        numbers = nodes.run("Sub", [nodes.run("Reshape", [apart, blocks]), middle])
        whole = nodes.weight(f"{name}.whole", np.array([0, 0, each.columns], np.int64))
        return nodes.run("Reshape", [nodes.run("Mul", [numbers, factors]), whole])

    def times(self, nodes: Nodes, hidden: str, name: str) -> str:
        """Hidden times a matrix, by the operator that reads its four bits and multiplies in 32."""
        each, (place, _) = self._blocks[name], self._places[name]
        pairs = each.pairs.reshape(each.rows, -1, BLOCK // 2)
        inputs = [hidden, nodes.kept_in(FILE, f"{name}.pairs", pairs, place), self._scales(nodes, name, [-1])]
        sizes = {"K": each.columns, "N": each.rows, "bits": 4, "block_size": BLOCK}
        return nodes.run("MatMulNBits", inputs, domain=FUSED, **sizes)

    def integers(self, nodes: Nodes, name: str, weight: Weights, scales: npt.NDArray[np.float32]) -> str:
        """See `minilm_build.products.Matrices`: onnxruntime computes them once, at load."""
        _ = weight
        each, (place, _) = self._blocks[name], self._places[name]
        shape = (each.rows, each.columns)
        middle = np.full(each.scales.size // 2, MIDDLE | MIDDLE << 4, np.uint8)
        arguments = [
            nodes.kept_in(FILE, f"{name}.pairs", each.pairs, place, four_bits=shape),
            self._scales(nodes, name, each.scales.shape),
            nodes.four_bits(f"{name}.middle", middle, each.scales.shape),
        ]
        floats = nodes.run("DequantizeLinear", arguments, axis=1, block_size=BLOCK)
        zero = nodes.weight(f"{name}.origin", np.zeros(each.rows, np.int8))
        rounded = nodes.run("QuantizeLinear", [floats, nodes.weight(f"{name}.reach", scales), zero], axis=0)
        return nodes.run("Transpose", [rounded], perm=[1, 0])

    def _scales(self, nodes: Nodes, name: str, shape: Sequence[int]) -> str:
        each, (_, place) = self._blocks[name], self._places[name]
        return nodes.widen(nodes.kept_in(FILE, f"{name}.scales16", each.scales.reshape(shape), place))


class FourBits:
    """Multiplies in 32 bits by matrices that stay in four; see `minilm_build.encoder.Products`."""

    def __init__(self, kept: BlockFile) -> None:
        self._kept = kept

    def attention(self, nodes: Nodes, inputs: tuple[str, str], name: str, weight: Weights) -> str:
        """See `Products`."""
        parts = [f"{name}.{each}" for each in PROJECTIONS]
        projected = [self._kept.times(nodes, inputs[0], part) for part in parts]
        bias = nodes.weight(f"{name}.bias", biases(parts, weight))
        return nodes.run("MultiHeadAttention", [*projected, bias, inputs[1]], domain=FUSED, num_heads=HEADS)

    def linear(self, nodes: Nodes, hidden: str, name: str, weight: Weights) -> str:
        """See `Products`."""
        _ = weight
        return self._kept.times(nodes, hidden, name)
