"""What a reader left out of a file, counted by kind, so that nothing is omitted in silence."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

LEFT_OUT = "left_out"
READ_AS = "read_as"
TRUNCATED = "truncated"
"""The keys under which a document's metadata says, in words, what was left out of its file, how it was decoded, and
where its text was cut."""

_CUT = "The text goes on: only a part of it is read."

_PLURALS: Mapping[str, str] = MappingProxyType(
    {
        "image without text": "images without text",
        "hidden paragraph": "hidden paragraphs",
        "hidden part": "hidden parts",
        "navigation part": "navigation parts",
        "page without text": "pages without text",
        "unreadable page": "unreadable pages",
    }
)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many parts of one kind were not read. `kind` is in the singular: "image without text", "embedded object"."""

    kind: str
    count: int = 1

    @property
    def words(self) -> str:
        """The count and the kind: "1 hidden row", "2 images without text"."""
        if self.count == 1:
            return f"1 {self.kind}"
        noun = _PLURALS.get(self.kind) or _plural(self.kind)
        return f"{self.count:,} {noun}"


def _plural(kind: str) -> str:
    head, of, rest = kind.partition(" of ")
    ending = "ies" if head.endswith("y") else "es" if head.endswith(("s", "x", "ch")) else "s"
    return f"{head[:-1] if ending == 'ies' else head}{ending}{of}{rest}"


def added_up(parts: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    """One entry for each kind, in the order in which the kinds first occur."""
    counts: Counter[str] = Counter()
    for part in parts:
        counts[part.kind] += part.count
    return tuple(LeftOut(kind, count) for kind, count in counts.items() if count > 0)


def in_words(parts: Iterable[LeftOut]) -> str:
    """All parts in one phrase: "2 images without text, 1 embedded object, 3 hidden rows"."""
    return ", ".join(part.words for part in added_up(parts))


def notice_of(metadata: Mapping[str, str]) -> str:
    """The sentence about a file that was not read as a whole, or not as plain UTF-8; "" for any other."""
    truncated = metadata.get(TRUNCATED, "")
    sentences = [
        f"It is not plain UTF-8; it is read as {read_as}." if (read_as := metadata.get(READ_AS)) else "",
        f"Not read: {left_out}." if (left_out := metadata.get(LEFT_OUT)) else "",
        _CUT if truncated == "true" else truncated,
    ]
    return " ".join(filter(None, sentences))
