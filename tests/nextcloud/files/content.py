"""The bytes of a file: held, or repeated to any size without holding them."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Repeated:
    """One piece of text over and over, cut at a size."""

    unit: bytes
    size: int

    def __len__(self) -> int:
        return self.size


Content = bytes | Repeated


def pieces(content: Content, start: int, stop: int) -> Iterator[bytes]:
    """The bytes from `start` up to `stop`, piece by piece."""
    if isinstance(content, bytes):
        yield content[start:stop]
        return
    length = len(content.unit)
    many = content.unit * (_PIECE // length + 2)
    for place in range(start, stop, _PIECE):
        inside = place % length
        yield many[inside : inside + min(_PIECE, stop - place)]


def whole(content: Content) -> bytes:
    return b"".join(pieces(content, 0, len(content)))


def digest(*parts: object) -> str:
    """Thirty-two hexadecimal digits, as most etags have."""
    return hashlib.md5(repr(parts).encode(), usedforsecurity=False).hexdigest()
