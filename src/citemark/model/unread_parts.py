"""What a reader left out of a file, counted by kind, so that nothing is omitted in silence."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LEFT_OUT = "left_out"
READ_AS = "read_as"
TRUNCATED = "truncated"
WORDS_ONLY = "words_only"
"""The keys under which a document's metadata says, in words, what was left out of its file, how it was decoded, where
its text was cut, and what of it has no vectors."""

_CUT = "The text goes on: only a part of it is read."

_HEAD = re.compile(r"(?P<head>.*?)(?P<rest> (?:of|for|without|beyond|that|too) .*)?")
"""The noun that a kind is about, and what says more about it."""


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """How many parts of one kind were not read. `kind` is in the singular: "image without text", "embedded object"."""

    kind: str
    count: int = 1

    @property
    def words(self) -> str:
        """The count and the kind: "1 hidden row", "2 images without text"."""
        if self.count == 1:
            return f"1 {self.kind}"
        return f"{self.count:,} {_plural(self.kind)}"


def _plural(kind: str) -> str:
    match = _HEAD.fullmatch(kind)
    head, rest = (match["head"], match["rest"] or "") if match is not None else (kind, "")
    ending = "ies" if head.endswith("y") else "es" if head.endswith(("s", "x", "ch")) else "s"
    return f"{head[:-1] if ending == 'ies' else head}{ending}{rest}"


def added_up(parts: Iterable[UnreadPart]) -> tuple[UnreadPart, ...]:
    """One entry for each kind, in the order in which the kinds first occur."""
    counts: Counter[str] = Counter()
    for part in parts:
        counts[part.kind] += part.count
    return tuple(UnreadPart(kind, count) for kind, count in counts.items() if count > 0)


def in_words(parts: Iterable[UnreadPart]) -> str:
    """All parts in one phrase: "2 images without text, 1 embedded object, 3 hidden rows"."""
    return ", ".join(part.words for part in added_up(parts))


def notice_of(metadata: Mapping[str, str]) -> str:
    """The sentence about a file that was not read as a whole, or not as plain UTF-8; "" for any other."""
    truncated = metadata.get(TRUNCATED, "")
    sentences = [
        f"It is not plain UTF-8; it is read as {read_as}." if (read_as := metadata.get(READ_AS)) else "",
        f"Not read: {left_out}." if (left_out := metadata.get(LEFT_OUT)) else "",
        _CUT if truncated == "true" else truncated,
        metadata.get(WORDS_ONLY, ""),
    ]
    return " ".join(filter(None, sentences))
