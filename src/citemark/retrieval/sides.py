"""Which of the things that a question compares a passage is about: two versions, dates, products, pages or sources.

A side is a value that a phrasing of the question names, and that a passage has in its path, title, tags, source,
headings or date. Sides are rivals: values that stand in the same position of different passages.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from citemark.model.candidates import PageNames, StoredChunk
from citemark.retrieval.named_values import MOST_VALUES, Place, parts_of, plain
from citemark.retrieval.question_words import compares
from citemark.text.figures import Figure, figures
from citemark.text.versions import is_version

Parts = Sequence[tuple[Place, str]]
"""The values of one passage, each with its position."""

_MOST_BETWEEN = 4
"""Words between two things that are set against each other: "the staging server and that of production"."""

_DATED = re.compile(r"\d{4}-\d\d-\d\d")


def page_parts(names: PageNames, source: str) -> list[tuple[Place, str]]:
    """The values of a page that is known by its names."""
    return [*parts_of(names), (("source", 0), source)]


def passage_parts(chunk: StoredChunk, source: str) -> list[tuple[Place, str]]:
    """The values of a passage that has been read."""
    names = PageNames(str(chunk.native_id).partition("#")[0], chunk.title, chunk.tags)
    headings = [(("heading", 0), heading) for heading in chunk.heading_path if heading != chunk.title]
    dated = [(("dated", 0), chunk.dated[:10])] if chunk.dated else []
    return [*page_parts(names, source), *headings, *dated]


def sides_of(phrasings: Sequence[str], passages: Sequence[Parts]) -> list[str]:
    """For each passage the one side that it is on, as it is written there; "" if it is on none or on several.

    There are sides only if the phrasings name at least two rival values, and at most four.
    """
    named = _named(phrasings, {part for parts in passages for _, part in parts})
    rivals: dict[Place, dict[str, str]] = defaultdict(dict)
    for place, part in (pair for parts in passages for pair in parts):
        if part in named:
            rivals[place].setdefault(named[part], part)
    asked = plain(phrasings)
    sides = {
        place: values
        for place, values in rivals.items()
        if 1 < len(values) <= MOST_VALUES and _compared(values, phrasings, asked)
    }
    return [_only(_sides_in(parts, named, sides)) for parts in passages]


def _compared(values: Mapping[str, str], phrasings: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether values are set against each other: versions and days always are, words where they stand side by side."""
    if all(is_version(part.casefold()) or _DATED.search(part) for part in values.values()):
        return True
    return any(compares(phrasing) and _beside(values, words) for phrasing, words in zip(phrasings, asked, strict=True))


def _beside(values: Iterable[str], words: str) -> bool:
    """Whether two of the values stand a few words apart, with one between them that compares."""
    found = sorted((match.start(), match.end()) for value in values for match in _whole(value).finditer(words))
    return any(
        len(between.split()) <= _MOST_BETWEEN and compares(between)
        for (_, end), (start, _) in pairwise(found)
        for between in (words[end:start],)
    )


def _whole(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S){re.escape(value)}(?!\S)")


def _sides_in(parts: Parts, named: dict[str, str], sides: dict[Place, dict[str, str]]) -> Iterator[str]:
    for place, part in parts:
        if place in sides and named.get(part) in sides[place]:
            yield sides[place][named[part]]


def _only(found: Iterable[str]) -> str:
    values = dict.fromkeys(found)
    return next(iter(values)) if len(values) == 1 else ""


def _named(phrasings: Sequence[str], parts: Iterable[str]) -> dict[str, str]:
    """The parts that a phrasing names, each with one spelling of what is named."""
    if not (said := sorted(part for part in parts if part.strip())):
        return {}
    asked = [f" {each} " for each in plain(phrasings)]
    dates = [figure for phrasing in phrasings for figure in figures(phrasing) if _is_day(figure)]
    named: dict[str, str] = {}
    for part, value in zip(said, plain(said), strict=True):
        if value and any(f" {value} " in each for each in asked):
            named[part] = value
        elif day := next((each for each in dates if _same_day(each, part)), None):
            named[part] = day.own[0]
    return named


def _is_day(figure: Figure) -> bool:
    return _DATED.fullmatch(figure.own[0]) is not None


def _same_day(day: Figure, part: str) -> bool:
    return any(other.own[0] == day.own[0] for other in figures(part))
