"""A quote as a reader sees it: with what its words need to be understood, each sign of ours apart from the words."""

from citemark.evidence.layout import open_fences
from citemark.evidence.quotes import CutAt

_LEFT_OUT = "[…]"


def readable(words: str, header: str = "", cut: CutAt | None = None) -> str:
    """The words of a quote below the header row of their table, fences closed, with a mark where a sentence is cut."""
    if cut in ("start", "both"):
        words = f"{_LEFT_OUT} {words}"
    if cut in ("end", "both"):
        words = f"{words} {_LEFT_OUT}"
    before, behind = open_fences(words)
    return "\n".join(filter(None, [header, before, words, behind]))
