"""`python -m tests.bench.languages`: questions in four languages over documents in the same and in another (ADR 44).

The model is the one that the settings name. Even questions of each set are those to choose a calibration on, odd ones
those to report. The knots that it prints below are chosen on the even ones, of all pairs of languages (ADR 48).
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from tests.bench.locations import ROOT, cache

from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.command_context import CommandContext
from citemark.evaluation.rankings import rank_all
from citemark.evaluation.report import Cell, table
from citemark.model.vectors import Knots
from citemark.services.app_context import AppContext
from citemark.settings import load_settings

_SETS = ROOT / "tests" / "data" / "languages"
_IN_BOTH = ("english", "german")
_OTHERS = ("french", "spanish")
_DEPTH = 5
_LOOSE, _STRICT = 0.3, 0.05
"""Shares of questions for which a page that does not answer may reach the scores 0.5 and 0.7."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document, and a question that it answers."""

    name: str
    document: str
    question: str


def entries() -> Mapping[str, Sequence[Entry]]:
    """The hundred entries of each language, in the same order."""
    both: list[dict[str, Any]] = yaml.safe_load((_SETS / "questions.yaml").read_text("utf-8"))
    found = {
        language: [Entry(each["id"], each[language]["document"], each[language]["question"]) for each in both]
        for language in _IN_BOTH
    }
    for language in _OTHERS:
        rows: list[dict[str, str]] = yaml.safe_load((_SETS / f"{language}.yaml").read_text("utf-8"))
        found[language] = [Entry(row["id"], row["document"], row["question"]) for row in rows]
    return found


@dataclass(frozen=True, slots=True)
class Found:
    """The place of the document that answers among the first five, and whether its score lets it be shown.

    `wrong` is the highest relevance of another document, and `misled` whether its score lets it be shown.
    """

    ranked: bool
    shown: bool
    wrong: float
    misled: bool


async def _asked(app: AppContext, entry: Entry) -> Found:
    places, least = (await rank_all(app, entry.question)).places, app.settings.min_score
    answers = [place for place in places[:_DEPTH] if f"{entry.name}.txt" in place.pages]
    others = [place for place in places if f"{entry.name}.txt" not in place.pages]
    return Found(
        ranked=bool(answers),
        shown=any(place.score >= least for place in answers),
        wrong=max((place.why.relevance for place in others), default=0.0),
        misled=any(place.score >= least for place in others),
    )


def knots(wrong: Sequence[float]) -> Knots:
    """The map from relevance to score by what pages that do not answer reach, one relevance for each question."""
    low, high = (round(float(np.quantile(wrong, 1 - share)), 3) for share in (_LOOSE, _STRICT))
    return ((max(0.0, round(2 * low - high, 3)), 0.0), (low, 0.5), (high, 0.7), (2.0, 1.0))


async def measured() -> tuple[list[Sequence[Cell]], Knots]:
    """A row for each pair of languages and each half, and what would be chosen on the first halves."""
    sets, rows, wrong = entries(), list[Sequence[Cell]](), list[float]()
    settings = load_settings(data_dir=cache() / "index-languages")
    for documents, answers in sets.items():
        async with open_app(settings, f"languages_{documents}") as app:
            if not await app.sources.all():
                folder = await asyncio.to_thread(_written, documents, answers)
                run = CommandContext(open_app, json=True, quiet=True)
                await add_docs_source(run, app, DocsRequest(path=folder), sync=True)
            for asked in dict.fromkeys((documents, *(sets if documents == "english" else ()))):
                found = [await _asked(app, entry) for entry in sets[asked]]
                wrong += [each.wrong for each in found[::2]]
                rows += [
                    (
                        asked,
                        documents,
                        half,
                        sum(each.shown for each in found[first::2]) / len(found[first::2]),
                        sum(each.ranked for each in found[first::2]) / len(found[first::2]),
                        sum(each.misled for each in found[first::2]) / len(found[first::2]),
                    )
                    for first, half in enumerate(("choose", "report"))
                ]
    return rows, knots(wrong)


def _written(language: str, answers: Sequence[Entry]) -> Path:
    folder = cache() / "languages" / language
    folder.mkdir(parents=True, exist_ok=True)
    for each in answers:
        (folder / f"{each.name}.txt").write_text(each.document, "utf-8")
    return folder


if __name__ == "__main__":
    head = ("questions", "documents", "half", "hit@5 shown", "hit@5 by rank", "another page shown")
    found, chosen = asyncio.run(measured())
    sys.stdout.write(f"{table(head, found)}\n\n{chosen}\n")
