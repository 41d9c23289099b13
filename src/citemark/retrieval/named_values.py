"""Questions that name two values of the index's own (two versions, staging and production) are asked of each.

A value is a part of a path, a title or a tag. Values are rivals where they stand at one place: parts of paths of one
depth, titles, tags. The best candidate of all stays first, and behind it comes the best one of each value.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from citemark.model.candidates import PageNames
from citemark.retrieval.retrievers import ScoredCandidate

_MOST_VALUES = 4
"""A question that names more of one place is rather about all of them."""

_SIGNS = re.compile(r"[^\w.]+|_+|\.(?!\w)|(?<!\w)\.")
_VERSION = re.compile(r"\bv(?=\d)")

_Place = tuple[str, int]
_Value = tuple[_Place, str]


def of_each_value(
    question: str, candidates: Sequence[ScoredCandidate], pages: Mapping[int, PageNames]
) -> Sequence[ScoredCandidate]:
    """The candidates in their order, but for the best of each value that the question names.

    Args:
        question: as it was asked.
        candidates: best first.
        pages: what the pages of the candidates are called, by id.
    """
    asked = f" {_plain(question)} "
    named: dict[_Place, dict[str, int]] = defaultdict(dict)
    known = {
        page_id: [value for value in _values(names) if f" {value[1]} " in asked] for page_id, names in pages.items()
    }
    for at, candidate in enumerate(candidates):
        for place, value in known.get(candidate.page_id, ()):
            named[place].setdefault(value, at)
    bests: set[int] = set()
    for values in named.values():
        if 1 < len(values) <= _MOST_VALUES and len(set(values.values())) > 1:
            bests |= set(values.values())
    if not bests or max(bests) <= len(bests):
        return candidates
    first = list(dict.fromkeys((0, *sorted(bests))))
    rest = (candidate for at, candidate in enumerate(candidates) if at not in first)
    return [*(candidates[at] for at in first), *rest]


def _values(names: PageNames) -> Iterator[_Value]:
    *folders, name = names.path.split("/")
    stem = name.rpartition(".")[0] or name
    for depth, part in enumerate((*folders, stem)):
        yield ("path", depth), _plain(part)
    yield ("title", 0), _plain(names.title)
    for tag in names.tags:
        yield ("tag", 0), _plain(tag)


def _plain(text: str) -> str:
    return _VERSION.sub("", " ".join(_SIGNS.sub(" ", text.casefold()).split()))
