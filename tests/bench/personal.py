"""Scores on personal content: what is kept and what passes at 0.5 and 0.7 on the account of tests/data/personal."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.bench.locations import cache
from tests.bench.personal_account import PersonalQuestion, fill, personal_questions
from tests.nextcloud.expected_state import Key
from tests.nextcloud.server import Nextcloud

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.evaluation.fit import BestHits, JudgedQuestion, best_hits_of
from citemark.evaluation.rankings import WholeRanking, rank_all
from citemark.features.nextcloud.declaration import ACCOUNTS
from citemark.model.sources import NewSource
from citemark.settings import load_settings

USER = "alice"
_DEPTH = 300
_THRESHOLDS = (0.5, 0.7)


@asynccontextmanager
async def personal_index() -> AsyncGenerator[tuple[App, Mapping[str, Key]]]:
    """An index of the account, made anew, and what each document is at the server."""
    data = cache() / "index-personal"
    shutil.rmtree(data, ignore_errors=True)
    with Nextcloud() as server:
        keys = await asyncio.to_thread(fill, server.world, USER)
        async with open_app(load_settings(data_dir=data)) as app:
            config = {"server": server.url, "login": USER, "user": USER}
            source = await app.stores.sources.add(NewSource(USER, "nextcloud", config, keep_history=False))
            await app.services.get(ACCOUNTS).credentials(source).keep(USER, server.password(USER))
            await app.sync({source.source_id: source})
            yield app, keys


async def fitted_half() -> BestHits:
    """The best hits of the answerable questions that scores may be fitted on."""
    async with personal_index() as (app, keys):
        return await best_hits_of(app, "personal", judged(personal_questions(), keys))


def judged(questions: Sequence[PersonalQuestion], keys: Mapping[str, Key]) -> list[JudgedQuestion]:
    """The answerable questions of the fitted half, except those whose answers the model cannot read."""
    return [
        JudgedQuestion(each.question, {keys[answer].native_id: 1 for answer in each.answers}, each.also)
        for each in questions
        if each.fitted and each.answers and not each.other_language
    ]


async def personal() -> dict[str, object]:
    """The figures of both halves, of the question alone and with its phrasings."""
    async with personal_index() as (app, keys):
        asked = [await _asked(app, each, keys) for each in personal_questions()]
    halves: dict[str, Callable[[_Asked], bool]] = {
        "fitted": lambda each: each.question.fitted,
        "reported": lambda each: not each.question.fitted,
    }
    return {name: _figures([each for each in asked if among(each)]) for name, among in halves.items()}


@dataclass(frozen=True, slots=True)
class _Found:
    """The best score of a document that answers (of any, if none does), and its rank from 1.

    `told`: the result would begin with the words that the documents do not say, or that none writes a name.
    """

    score: float
    rank: int | None
    told: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    question: PersonalQuestion
    alone: _Found
    phrased: _Found


async def _asked(app: App, asked: PersonalQuestion, keys: Mapping[str, Key]) -> _Asked:
    answers = {keys[answer].native_id for answer in asked.answers}
    alone = await rank_all(app, asked.question, _DEPTH)
    phrased = await rank_all(app, asked.question, _DEPTH, asked.also)
    return _Asked(asked, _found(alone, answers), _found(phrased, answers))


def _found(ranking: WholeRanking, answers: AbstractSet[str]) -> _Found:
    right = [
        (place.score, rank)
        for rank, place in enumerate(ranking.places, start=1)
        if not answers or not answers.isdisjoint(place.pages)
    ]
    return _Found(
        score=max((score for score, _ in right), default=0.0),
        rank=min((rank for _, rank in right), default=None),
        told=bool(ranking.absence.told),
    )


def _figures(asked: Sequence[_Asked]) -> dict[str, object]:
    answerable = [each for each in asked if each.question.answers]
    readable = [each for each in answerable if not each.question.other_language]
    rest = [each for each in asked if not each.question.answers]
    ways: dict[str, Callable[[_Asked], _Found]] = {
        "alone": lambda each: each.alone,
        "phrased": lambda each: each.phrased,
    }
    return {
        name: {
            "answerable": len(answerable),
            **{f"kept_at_{at}": _kept(map(way, answerable), at) for at in _THRESHOLDS},
            **{f"same_language_kept_at_{at}": _kept(map(way, readable), at) for at in _THRESHOLDS},
            "first": sum(way(each).rank == 1 for each in answerable),
            "answerable_told": sum(way(each).told for each in answerable),
            "unanswerable": len(rest),
            "pass": sum(way(each).score >= _THRESHOLDS[1] for each in rest),
            "pass_untold": sum(way(each).score >= _THRESHOLDS[1] and not way(each).told for each in rest),
        }
        for name, way in ways.items()
    }


def _kept(found: Iterable[_Found], threshold: float) -> float:
    kept = [each.score >= threshold for each in found]
    return round(sum(kept) / len(kept), 3)
