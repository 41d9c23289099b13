"""Show the best candidate of each value that a question compares (two versions, staging and production).

A value is a part of an indexed page's path, its title or a tag. Values are rivals if they occur in the same position:
path parts of the same depth, titles, or tags. The best candidate of all stays first, followed by the best one of each
value.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from citemark.model.candidates import PageNames
from citemark.retrieval.retrievers import ScoredCandidate
from citemark.text.spelling import one_spelling

MOST_VALUES = 4
"""A question that names more values in one position is probably about all of them."""

_LETTERS_OR_DIGITS = re.compile(r"[a-z0-9]+")
_SIGNS = re.compile(r"[^\w.\n]+|_+|\.(?!\w)|(?<!\w)\.")
_VERSION = re.compile(r"\bv(?=\d)")

Place = tuple[str, int]
"""A position that a value may have: the names of it, and a depth."""


def of_each_value(
    question: str, candidates: Sequence[ScoredCandidate], pages: Mapping[int, PageNames]
) -> Sequence[ScoredCandidate]:
    """The candidates in their order, except that the best one of each value the question names moves up.

    Args:
        question: the question as it was asked.
        candidates: best first.
        pages: the names of the candidates' pages, by page id.
    """
    if not pages:
        return candidates
    (asked,) = plain([question])
    parts = {page_id: list(parts_of(names)) for page_id, names in pages.items()}
    said = [part for part in {part for each in parts.values() for _, part in each} if may_stand_in(asked, part)]
    if not said:
        return candidates
    spelt = dict(zip(said, plain(said), strict=True))
    values = {part: value for part, value in spelt.items() if f" {value} " in f" {asked} "}
    known = {
        page_id: [(place, values[part]) for place, part in each if part in values] for page_id, each in parts.items()
    }
    named: dict[Place, dict[str, int]] = defaultdict(dict)
    for at, candidate in enumerate(candidates):
        for place, value in known.get(candidate.page_id, ()):
            named[place].setdefault(value, at)
    bests: set[int] = set()
    for rivals in named.values():
        if 1 < len(rivals) <= MOST_VALUES and len(set(rivals.values())) > 1:
            bests |= set(rivals.values())
    if not bests or max(bests) <= len(bests):
        return candidates
    first = list(dict.fromkeys((0, *sorted(bests))))
    rest = (candidate for at, candidate in enumerate(candidates) if at not in first)
    return [*(candidates[at] for at in first), *rest]


def parts_of(names: PageNames) -> Iterator[tuple[Place, str]]:
    """The parts of a page's names, each with the position that makes it a rival of others."""
    *folders, name = names.path.split("/")
    stem = name.rpartition(".")[0] or name
    for depth, part in enumerate((*folders, stem)):
        yield ("path", depth), part
    yield ("title", 0), names.title
    for tag in names.tags:
        yield ("tag", 0), tag


def may_stand_in(asked: str, part: str) -> bool:
    """Whether a part of a page's names may stand in a plain question, judging by the beginning of it.

    Most do not, and to make all two hundred plain takes milliseconds.
    """
    begun = _LETTERS_OR_DIGITS.search(part.casefold()) if part.isascii() else None
    return begun is None or _VERSION.sub("", begun.group()) in asked


def plain(texts: Sequence[str]) -> list[str]:
    """Texts without punctuation and capitals, all in one pass: one by one took a millisecond for two hundred pages."""
    lines = one_spelling("\n".join(text.replace("\n", " ") for text in texts)).casefold()
    return [" ".join(line.split()) for line in _VERSION.sub("", _SIGNS.sub(" ", lines)).split("\n")]
