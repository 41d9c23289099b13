"""Posting lists of a segment in blocks of about a kilobyte (`posting_block.block`, ADR 27).

A block holds the lists of terms that follow one another, column by column, each column in the narrowest width that
holds its largest number:

    widths      4 x u1           of the four narrow columns, in bytes
    base        i8               the smallest chunk id of the block
    terms       u4               their number
    term ids    i8 per term      ascending
    counts      per term         postings of each
    chunks      per posting      above the base
    frequencies per posting      how often the term stands in the chunk
    lengths     per posting      words of the chunk

All numbers are little-endian. A posting takes 4 bytes where a row of its own took 12 beside 50 for each term.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from citemark.store.postings import POSTING, ChunkWords, Ids, Postings, postings_of

_HEAD = struct.Struct("<4BqI")
_TERM_ID = np.dtype("<i8")
_UNSIGNED: Mapping[int, np.dtype[Any]] = {width: np.dtype(f"<u{width}") for width in (1, 2, 4, 8)}
_TARGET = 1000
"""Bytes of a block: a question reads one for each of its words, and a row costs 50 besides."""

_TERM_BYTES, _POSTING_BYTES = 9, 5
"""About what a term and a posting take, to divide a segment into blocks."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a segment: each is `sizes` bytes of `data`, one after the other, from the term `first_terms` on."""

    first_terms: Ids
    sizes: npt.NDArray[np.int64]
    data: bytes


def blocks_of(words: ChunkWords) -> Blocks:
    """The posting lists of all terms of some chunks."""
    lists = words.lists()
    entries = np.frombuffer(lists.postings, POSTING)
    counts = lists.sizes // POSTING.itemsize
    starts = lists.starts // POSTING.itemsize
    edges = [*_edges(counts).tolist(), len(counts)]
    packed: list[bytes] = []
    for first, after in pairwise(edges):
        start, end = int(starts[first]), int(starts[after - 1] + counts[after - 1])
        packed.append(_block(lists.term_ids[first:after], counts[first:after], entries[start:end]))
    return Blocks(
        lists.term_ids[np.array(edges[:-1], np.int64)],
        np.array([len(each) for each in packed], np.int64),
        b"".join(packed),
    )


def postings_in(block: bytes | memoryview, term_id: int) -> Postings | None:
    """The posting list of a term; None if the block has none."""
    count_width, chunk_width, frequency_width, length_width, base, terms = _HEAD.unpack_from(block)
    term_ids = np.frombuffer(block, _TERM_ID, terms, _HEAD.size)
    place = int(term_ids.searchsorted(np.int64(term_id)))
    if place == terms or term_ids[place] != term_id:
        return None
    offset = _HEAD.size + _TERM_ID.itemsize * terms
    ends = np.frombuffer(block, _UNSIGNED[count_width], terms, offset).cumsum(dtype=np.int64)
    before, after, total = int(ends[place - 1]) if place else 0, int(ends[place]), int(ends[-1])
    offset += count_width * terms
    found = np.empty(after - before, POSTING)
    for name, width in (("chunk_id", chunk_width), ("tf", frequency_width), ("length", length_width)):
        found[name] = np.frombuffer(block, _UNSIGNED[width], after - before, offset + before * width)
        offset += total * width
    found["chunk_id"] += base
    return found


def lists_read(row: Mapping[str, Any], term_ids: Sequence[int]) -> Iterator[tuple[int, Postings]]:
    """The posting lists that a statement found, each with the number of its term, counted from 1.

    Args:
        row: in columns, the number of each term, whether it was found in a block (`packed`), the bytes of each list or
            block (`sizes`), and all of them one after the other (`postings`).
        term_ids: the term of each number.
    """
    if row["numbers"] is None:
        return
    numbers: Sequence[int] = row["numbers"]
    flags: Sequence[bool] = row["packed"]
    edges: list[int] = np.cumsum([0, *row["sizes"]]).tolist()
    data = memoryview(row["postings"])
    for number, packed, (start, end) in zip(numbers, flags, pairwise(edges), strict=True):
        found = postings_in(data[start:end], term_ids[number - 1]) if packed else _list(data[start:end])
        if found is not None:
            yield number, found


def _list(data: memoryview) -> Postings:
    return postings_of([len(data)], data)[0]


def _edges(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The first term of each block: many short lists share one, and a long one is alone."""
    bytes_of = _TERM_BYTES + _POSTING_BYTES * counts
    ends = np.cumsum(bytes_of)
    starts = ends - bytes_of
    long = bytes_of > _TARGET
    begins = np.diff(starts // _TARGET, prepend=-1) > 0
    begins |= long
    begins[1:] |= long[:-1]
    return np.flatnonzero(begins)


def _block(term_ids: Ids, counts: npt.NDArray[np.int64], entries: Postings) -> bytes:
    chunk_ids = entries["chunk_id"].astype(np.int64)
    base = int(chunk_ids.min())
    columns = [_narrow(column) for column in (counts, chunk_ids - base, entries["tf"], entries["length"])]
    head = _HEAD.pack(*(column.itemsize for column in columns), base, len(term_ids))
    return b"".join([head, term_ids.astype(_TERM_ID).tobytes(), *(column.tobytes() for column in columns)])


def _narrow(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The column in the narrowest width that holds its largest number."""
    largest = int(column.max())
    return column.astype(next(dtype for width, dtype in _UNSIGNED.items() if largest < 1 << 8 * width))
