"""Fits the map from relevance to score on test collections; `python -m citemark.app.calibrate FOLDER...` runs it.

The scores 0.5 and 0.7 are assigned to the relevances that keep 98 % and 90 % of the answerable questions' best hits. A
best hit is the passage of highest relevance among those that answer: an irrelevant passage above it must not raise the
threshold. The share is kept with 95 % confidence (the lower bound of the quantile), because a few hundred questions say
little about the lowest fiftieth of all questions. Every collection has the same weight, however many questions it has.
Golden questions are never used for fitting.

A score is the same however many phrasings a question has. The agreement of the phrasings, which is the confidence
(`retrieval.calibration.Agreement`), has maps of its own: 0.5 stays where it is, and 0.7 is again what 90 % of the
answerable questions reach.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from citemark.evaluation.beir import database_of, index_collection, load_collection
from citemark.evaluation.phrasings import Phrasings, load_phrasings
from citemark.evaluation.rankings import Grades, RankedPassage, rank_all
from citemark.evaluation.report import Cell, table
from citemark.model.vectors import Calibration, Knots
from citemark.retrieval.calibration import better_half, interpolate
from citemark.services.app_context import AppContext, OpenIndex
from citemark.settings import Settings

LOOSE, STRICT = 0.02, 0.10
"""Shares of best hits that may fall below score 0.5 and below 0.7."""

_CONFIDENT = 1.645
"""How many standard deviations below its mean a normal variable stays above, 95 times in 100."""

_FUSED_TOP, _LEXICAL_TOP = 2.0, 1.0
_LEAST_GROUP = 20
"""Questions; fewer say nothing about the lowest tenth, and would weigh as much as a whole collection."""

_DIGITS = 3
"""Digits of a knot; the fit's own error is larger."""


@dataclass(frozen=True, slots=True)
class BestHits:
    """One collection's best hits, per question.

    `fused` holds the highest relevance of a passage that answers. `lexical` holds the highest share of BM25 of any
    passage: words alone often miss the passage that answers, and the lowest of those shares would let everything pass.
    `agreement` holds, for questions in two, three and more phrasings, the best score under each phrasing, averaged over
    the better half of the phrasings.
    """

    name: str
    fused: tuple[float, ...]
    lexical: tuple[float, ...]
    agreement: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question with the grades of documents by their ids, and its further phrasings."""

    question: str
    grades: Grades
    also: tuple[str, ...] = ()


def fit(collections: Sequence[BestHits]) -> Calibration:
    """The knots for the best hits of several collections.

    Score 0 lies as far below the 0.5 knot as the 0.7 knot lies above it, so that scores under the threshold still tell
    near misses from chance.
    """
    return Calibration(
        fused=_knots([hits.fused for hits in collections], _FUSED_TOP),
        lexical=_knots([hits.lexical for hits in collections], _LEXICAL_TOP),
        agreement=tuple(map(_agreement, _by_number([hits.agreement for hits in collections]))),
    )


def lower_share(groups: Sequence[Sequence[float]], share: float) -> float:
    """The share to use for the pooled sample so that, 95 times in 100, at most `share` of all questions lie below.

    It uses the normal approximation of the binomial, with Kish's effective size of the weighted sample.
    """
    size = len(groups) ** 2 / sum(1.0 / len(group) for group in groups)
    return max(0.0, share - _CONFIDENT * sqrt(share * (1.0 - share) / size))


def pooled_quantile(groups: Sequence[Sequence[float]], share: float) -> float:
    """The value below which `share` of the groups' values lie when every group weighs the same."""
    weighted = sorted((value, 1.0 / len(group)) for group in groups for value in group)
    target, below = share * sum(weight for _, weight in weighted), 0.0
    for value, weight in weighted:
        below += weight
        if below > target:
            return value
    return weighted[-1][0]


def _by_number(collections: Sequence[Sequence[tuple[float, ...]]]) -> list[list[tuple[float, ...]]]:
    """For each number of phrasings, the values of the collections that have enough, or any if none has."""
    numbers = max(map(len, collections), default=0)
    groups = [
        [collection[number] for collection in collections if len(collection) > number and collection[number]]
        for number in range(numbers)
    ]
    return [[group for group in found if len(group) >= _LEAST_GROUP] or found for found in groups]


def _agreement(groups: Sequence[Sequence[float]]) -> Knots:
    """The map that keeps 0, 0.5 and 1 in place and moves 0.7 to what 90 % of the questions reach."""
    high = pooled_quantile(groups, lower_share(groups, STRICT))
    step = 10**-_DIGITS
    return ((0.0, 0.0), (0.5, 0.5), (min(max(round(high, _DIGITS), 0.5 + step), 1.0 - step), 0.7), (1.0, 1.0))


async def best_hits(
    open_index: OpenIndex, settings: Settings, folder: Path, phrasings: Phrasings | None = None
) -> BestHits:
    """Index a collection, ask its questions and note the best hit of each.

    Args:
        open_index: opens the index of the collection.
        settings: the settings of the index.
        folder: the folder of the collection.
        phrasings: further phrasings of some of its questions, by the id of the question.
    """
    collection = load_collection(folder)
    further = phrasings or {}
    questions = [
        JudgedQuestion(query, collection.qrels[query_id], tuple(further.get(query_id, ())))
        for query_id, query in collection.queries.items()
    ]
    async with open_index(settings, database_of(collection.folder)) as app:
        await index_collection(app, collection)
        return await best_hits_of(app, collection.folder.name, questions)


async def best_hits_of(app: AppContext, name: str, questions: Sequence[JudgedQuestion]) -> BestHits:
    """Ask the questions of an open index, and note the best hit of each.

    Args:
        app: the open index, up to date.
        name: what the questions are called in the report.
        questions: each with at least one document that answers it.
    """
    calibration = app.embedder.calibration
    fused: list[float] = []
    lexical: list[float] = []
    agreement: list[list[float]] = [[] for _ in range(max((len(each.also) for each in questions), default=0))]
    for asked in questions:
        places = (await rank_all(app, asked.question)).places
        fused.append(_best_answer(places, asked.grades, None if calibration is None else calibration.fused))
        shares = [place.why.bm25 / place.why.bm25_upper_bound for place in places if place.why.bm25_upper_bound > 0]
        lexical.append(max(shares, default=0.0))
        tops = [
            max((place.score for place in places), default=0.0),
            *[await _top_score(app, text) for text in asked.also],
        ]
        for number in range(1, len(tops)):
            better = sorted(tops[: number + 1], reverse=True)[: better_half(number + 1)]
            agreement[number - 1].append(sum(better) / len(better))
    return BestHits(name, tuple(fused), tuple(lexical), tuple(map(tuple, agreement)))


async def _top_score(app: AppContext, question: str) -> float:
    """The score of the best passage for a question in one phrasing."""
    places = (await rank_all(app, question)).places
    return max((place.score for place in places), default=0.0)


def describe(calibration: Calibration, collections: Sequence[BestHits]) -> str:
    """A report of how well the fit does on each collection: the share of best hits kept at 0.5 and at 0.7.

    "Left out" is the share kept by a fit on the other collections only, which is what a new collection can expect.
    """
    rows: list[Sequence[Cell]] = []
    for hits in collections:
        others = [other for other in collections if other is not hits]
        blind = fit(others) if others else calibration
        rows.append(
            (
                hits.name,
                len(hits.fused),
                _share_kept(calibration.fused, hits.fused, 0.5),
                _share_kept(calibration.fused, hits.fused, 0.7),
                _share_kept(blind.fused, hits.fused, 0.5),
                _share_kept(blind.fused, hits.fused, 0.7),
                _share_kept(calibration.lexical, hits.lexical, 0.5),
                _share_kept(calibration.lexical, hits.lexical, 0.7),
            )
        )
    head = ("collection", "questions", "at 0.5", "at 0.7", "left out 0.5", "left out 0.7", "words 0.5", "words 0.7")
    curve: list[Sequence[Cell]] = [
        (f"{step / 20:.2f}", *(_share_kept(calibration.fused, hits.fused, step / 20) for hits in collections))
        for step in range(21)
    ]
    kept = table(("threshold", *(hits.name for hits in collections)), curve)
    return f"Share of best hits kept\n{table(head, rows)}\n\n{kept}"


def as_json(calibration: Calibration) -> str:
    """The content of the file that ships with the model."""
    fused, lexical = (json.dumps(knots) for knots in (calibration.fused, calibration.lexical))
    agreement = _json_list(calibration.agreement)
    return f'{{\n  "fused": {fused},\n  "lexical": {lexical},\n  "agreement": {agreement}\n}}'


def _json_list(maps: Sequence[Knots]) -> str:
    lines = ",\n".join(f"    {json.dumps(knots)}" for knots in maps)
    return f"[\n{lines}\n  ]" if maps else "[]"


async def fit_folders(
    open_index: OpenIndex, settings: Settings, folders: Sequence[Path], target: Path | None, phrasings: Path | None
) -> None:
    """Fit on the collections of `folders`, print the fit, and write it to `target`.

    `phrasings` is a folder with a file of phrasings for each collection, by its name.
    """
    collections: list[BestHits] = []
    for folder in folders:
        file = None if phrasings is None else phrasings / f"{folder.resolve().name}.yaml"
        further = load_phrasings(file) if file is not None and file.is_file() else None
        collections.append(await best_hits(open_index, settings, folder, further))
    calibration = fit(collections)
    sys.stdout.write(f"{as_json(calibration)}\n\n{describe(calibration, collections)}\n")
    if target is not None:
        await asyncio.to_thread(target.write_text, as_json(calibration) + "\n", encoding="utf-8")


def _best_answer(places: Sequence[RankedPassage], grades: Grades, knots: Knots | None) -> float:
    """The highest relevance of a passage that answers, or the lowest of any passage if none answers."""
    answers = [_comparable(place, knots) for place in places if any(grades.get(page, 0) > 0 for page in place.pages)]
    return max(answers) if answers else min((_comparable(place, knots) for place in places), default=0.0)


def _comparable(place: RankedPassage, knots: Knots | None) -> float:
    """The relevance of a passage, or that of a passage in the model's language with the same score.

    Where a cosine counts less, so does what is needed for a score (`retrieval.calibration.weighed`).
    """
    if knots is None or not 0.0 < place.score < 1.0:
        return place.why.relevance
    return interpolate(tuple((score, relevance) for relevance, score in knots), place.score)


def _knots(groups: Sequence[Sequence[float]], top: float) -> tuple[tuple[float, float], ...]:
    low, high = (pooled_quantile(groups, lower_share(groups, share)) for share in (LOOSE, STRICT))
    step = 10**-_DIGITS
    # Equal quantiles (with few questions) are moved apart by the smallest step, because the map must rise.
    low = round(low, _DIGITS)
    high = max(round(high, _DIGITS), low + step)
    floor = min(max(2 * low - high, 0.0), low - step)
    return ((round(floor, _DIGITS), 0.0), (low, 0.5), (round(high, _DIGITS), 0.7), (max(top, high + step), 1.0))


def _share_kept(knots: tuple[tuple[float, float], ...], values: Sequence[float], threshold: float) -> float:
    return sum(interpolate(knots, value) >= threshold for value in values) / len(values)
