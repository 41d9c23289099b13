"""What is told about absence: on the set of names, on the documentation and on public questions over two long texts."""

import asyncio
import csv
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.bench.locations import COLLECTIONS, GOLDEN, ROOT, SHARED, cache

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.evaluation.beir import database_of, index_collection, load_collection
from citemark.evaluation.golden import GoldenQuestion, load_golden, stands_in
from citemark.evaluation.golden_run import told_by
from citemark.evaluation.phrasings import load_phrasings, phrased
from citemark.evaluation.rankings import rank_all
from citemark.model.sources import NewSource
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import Evidence
from citemark.settings import load_settings

NAMES = ROOT / "tests" / "data" / "names"
_PUBLIC = SHARED / "public" / "chunking-evaluation"
_CORPORA = ("state_of_the_union", "wikitexts")


async def measure() -> dict[str, object]:
    """All figures on absence; each index is kept for the next time."""
    found: dict[str, object] = {}
    names = phrased(load_golden(NAMES / "questions.yaml"), load_phrasings(NAMES / "phrasings.yaml"))
    async with indexed("names", NAMES / "docs") as app:
        found["names"] = await _both_ways(app, names)
    phrasings = load_phrasings(GOLDEN / "docs-dev-phrasings.yaml")
    async with indexed("docs", SHARED / "docs-mcp" / "docs") as app:
        found["docs-dev"] = await _both_ways(app, phrased(load_golden(GOLDEN / "docs-dev.yaml"), phrasings))
    for corpus in _CORPORA:
        async with indexed(corpus, await asyncio.to_thread(public_folder, corpus)) as app:
            found[corpus] = _public_figures([await asked(app, text) for text in _public_questions(corpus)])
    for name in COLLECTIONS:
        found[name] = await _collection(name)
    return found


async def _collection(name: str) -> dict[str, object]:
    """How many judged questions of a test collection, all of which have an answer, are told otherwise."""
    collection = load_collection(SHARED / "ir" / name)
    phrasings = load_phrasings(ROOT / "tests" / "data" / "phrasings" / f"{name}.yaml")
    settings = load_settings().model_copy(update={"data_dir": cache() / "index-absence-collections"})
    told: dict[str, dict[str, object]] = {}
    async with open_app(settings, database_of(collection.folder)) as app:
        await index_collection(app, collection)
        for way in ("alone", "phrased"):
            asked = [
                await rank_all(app, collection.queries[key], also=also if way == "phrased" else ())
                for key, also in phrasings.items()
            ]
            confidences = sorted(each.confidence for each in asked)
            told[way] = {
                "questions": len(asked),
                "told_unsaid": sum(each.absence.told == "unsaid" for each in asked),
                "told_names": sum(each.absence.told == "names" for each in asked),
                "one_in_fifty_below": round(confidences[len(confidences) // 50], 3),
            }
    return dict(told)


async def _both_ways(app: App, questions: Sequence[GoldenQuestion]) -> dict[str, object]:
    return {
        way: _golden_figures(
            [(each, await asked(app, each.question, each.also if way == "phrased" else ())) for each in questions]
        )
        for way in ("alone", "phrased")
    }


def _golden_figures(pairs: Sequence[tuple[GoldenQuestion, Evidence]]) -> dict[str, Any]:
    answerable = [(each, evidence) for each, evidence in pairs if each.answerable]
    others = [(each, evidence) for each, evidence in pairs if not each.answerable]
    return {
        "answerable": len(answerable),
        "answered": sum(_is_answered(each, evidence) for each, evidence in answerable),
        "without_quote": [each.question_id for each, evidence in answerable if not evidence.quotes],
        "told_unsaid": [each.question_id for each, evidence in answerable if told_by(evidence) == "unsaid"],
        "told_names": sum(told_by(evidence) == "names" for _, evidence in answerable),
        "unanswerable": len(others),
        "told": sum(bool(told_by(evidence)) for _, evidence in others),
        "not_told": [each.question_id for each, evidence in others if not told_by(evidence)],
        "confidences": {each.question_id: round(evidence.confidence or 0.0, 2) for each, evidence in pairs},
    }


def _public_figures(found: Sequence[Evidence]) -> dict[str, int]:
    return {
        "questions": len(found),
        "empty": sum(not evidence.quotes for evidence in found),
        "told_unsaid": sum(told_by(evidence) == "unsaid" for evidence in found),
        "told_names": sum(told_by(evidence) == "names" for evidence in found),
    }


def _is_answered(question: GoldenQuestion, evidence: Evidence) -> bool:
    quotes = [quote.quote for quote in evidence.quotes]
    return all(any(stands_in(entry.answer, quotes) for entry in group) for group in question.groups)


async def asked(app: App, question: str, also: tuple[str, ...] = ()) -> Evidence:
    """The evidence that a call with its defaults finds."""
    request = SearchRequest(query=question, also=also, min_score=app.settings.min_score)
    return await app.services.evidence.retrieve(Caller.local(), request)


def _public_questions(corpus: str) -> list[str]:
    with (_PUBLIC / "questions.csv").open(encoding="utf-8") as file:
        return [row["question"] for row in csv.DictReader(file) if row["corpus_id"] == corpus]


def public_folder(corpus: str) -> Path:
    """A folder that holds one text alone."""
    folder = cache() / f"absence-{corpus}"
    folder.mkdir(exist_ok=True)
    (folder / f"{corpus}.md").write_bytes((_PUBLIC / "corpora" / f"{corpus}.md").read_bytes())
    return folder


@asynccontextmanager
async def indexed(name: str, folder: Path) -> AsyncGenerator[App, None]:
    """An index of one folder, up to date."""
    settings = load_settings().model_copy(update={"data_dir": cache() / f"index-absence-{name}"})
    async with open_app(settings) as app:
        sources = await app.sources.all()
        if not sources:
            sources = [await app.sources.add(NewSource(name=name, kind="docs", config={"root": str(folder)}))]
        await app.sync({source.source_id: source for source in sources}, lambda _: None)
        yield app


if __name__ == "__main__":
    import json
    import sys

    sys.stdout.write(json.dumps(asyncio.run(measure()), indent=1) + "\n")
