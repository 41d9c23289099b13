"""A fence around quoted text that the text cannot close, and lines that cannot pretend to be more than one."""

import re
from collections.abc import Sequence
from hashlib import blake2b

_LONGEST_LINE = 300
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f\u0085\u2028\u2029]+")
_MARK_BYTES = 6


def fence_mark(texts: Sequence[str]) -> str:
    """Twelve hexadecimal digits that stand in none of `texts`: the same for the same texts, unforeseeable from a part.

    The mark is a hash of all the texts together, so that who writes one document cannot know it; should it stand in one
    of them all the same, another is taken.
    """
    turn = 0
    while True:
        digest = blake2b(turn.to_bytes(4, "big"), digest_size=_MARK_BYTES)
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        mark = digest.hexdigest()
        if not any(mark in text.casefold() for text in texts):
            return mark
        turn += 1


def fenced(text: str, mark: str) -> str:
    """`text` between an opening and a closing line that carry the mark."""
    return f"<untrusted-{mark}>\n{text}\n</untrusted-{mark}>"


def line(text: str) -> str:
    """`text` as one line of bounded length, without control characters."""
    flat = _BREAKS.sub(" ", text).strip()
    return flat if len(flat) <= _LONGEST_LINE else flat[: _LONGEST_LINE - 1].rstrip() + "…"
