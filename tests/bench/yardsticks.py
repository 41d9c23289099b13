"""Public question sets whose figures others have published: what evidence cites, and the spans that it shows."""

import asyncio
import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from types import MappingProxyType
from typing import Any

from tests.bench.absence import asked, indexed, public_folder
from tests.bench.locations import SHARED

from citemark.app.compose import App
from citemark.evaluation.golden_run import told_by
from citemark.services.responses import Evidence

_ENTERPRISE = SHARED / "public" / "enterprise-rag-bench-v0"
_CHUNKING = SHARED / "public" / "chunking-evaluation"
_CORPORA = ("state_of_the_union", "wikitexts")
PUBLISHED: Mapping[str, float] = MappingProxyType(
    {"Azure AI Search": 84.0, "Vertex AI Search": 82.6, "Amazon Bedrock": 82.5, "OpenAI File Search": 78.5}
)
"""The totals that hosted products reached on the same 50 questions (colon-md/retrievalci d804620)."""

_RECALL, _PRECISION = 0.7, 0.3
"""The weights of the published score."""

_NINETY_FIVE = 1.96


@dataclass(frozen=True, slots=True)
class CitedFiles:
    """What one question should cite, and what its evidence cites."""

    question_id: str
    tier: str
    wanted: frozenset[str]
    cited: frozenset[str]
    told: str

    @property
    def recall(self) -> float:
        """The share of the wanted files that are cited; 1 if none is wanted and none is cited."""
        return len(self.wanted & self.cited) / len(self.wanted) if self.wanted else float(not self.cited)

    @property
    def precision(self) -> float:
        """The share of the cited files that are wanted."""
        return len(self.wanted & self.cited) / len(self.cited) if self.cited else float(not self.wanted)

    @property
    def score(self) -> float:
        """The published measure, in 0..100."""
        return 100 * (_RECALL * self.recall + _PRECISION * self.precision)


async def measure() -> dict[str, object]:
    """Both sets, with one row per question of the first."""
    async with indexed("enterprise", _ENTERPRISE / "corpus") as app:
        rows = [await _cited(app, question) for question in await asyncio.to_thread(_questions)]
    return {"enterprise": _summary(rows), "spans": {name: await _spans(name) for name in _CORPORA}}


def _questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_ENTERPRISE / "questions.jsonl").read_text("utf-8").splitlines()]


async def _cited(app: App, question: dict[str, Any]) -> CitedFiles:
    evidence = await asked(app, question["question"])
    wanted = frozenset(path.rpartition("/")[2] for path in question["ground_truth_citations"])
    told = told_by(evidence)
    # What stands under a first line of absence, as "Nearest passages:", is not cited as an answer.
    cited = frozenset[str]() if told else frozenset(_file_of(quote.citation.document_id) for quote in evidence.quotes)
    return CitedFiles(question["id"], question["tier"], wanted, cited, told)


def _file_of(document_id: str) -> str:
    return document_id.partition("#")[0].rpartition("/")[2]


def _summary(rows: Sequence[CitedFiles]) -> dict[str, object]:
    answerable = [row for row in rows if row.wanted]
    scores = [row.score for row in rows]
    tiers = dict.fromkeys(row.tier for row in rows)
    return {
        "score": round(fmean(scores), 1),
        "score_95": round(_NINETY_FIVE * stdev(scores) / math.sqrt(len(scores)), 1),
        "score_answerable": round(fmean(row.score for row in answerable), 1),
        "recall": {tier: round(fmean(row.recall for row in answerable if row.tier == tier), 3) for tier in tiers},
        "precision": {tier: round(fmean(row.precision for row in answerable if row.tier == tier), 3) for tier in tiers},
        "unanswerable_told": sum(bool(row.told) for row in rows if not row.wanted),
        "unanswerable": sum(not row.wanted for row in rows),
        "answerable_told": [row.question_id for row in answerable if row.told],
        "published": dict(PUBLISHED),
        "rows": [
            {"id": row.question_id, "tier": row.tier, "score": round(row.score, 1), "cited": sorted(row.cited)}
            for row in rows
        ],
    }


async def _spans(corpus: str) -> dict[str, float]:
    """Recall, precision and intersection over union of the characters shown, mean over the questions."""
    found: list[tuple[float, float, float]] = []
    async with indexed(corpus, await asyncio.to_thread(public_folder, corpus)) as app:
        for question, wanted in await asyncio.to_thread(lambda: list(_references(corpus))):
            shown = _characters(await asked(app, question))
            common, union = len(wanted & shown), len(wanted | shown)
            found.append((common / len(wanted), common / len(shown) if shown else 0.0, common / union))
    columns = zip(("recall", "precision", "iou"), zip(*found, strict=True), strict=True)
    return {name: round(fmean(column), 3) for name, column in columns}


def _references(corpus: str) -> Iterator[tuple[str, set[int]]]:
    with (_CHUNKING / "questions.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["corpus_id"] == corpus:
                spans = json.loads(row["references"])
                yield row["question"], {at for span in spans for at in range(span["start_index"], span["end_index"])}


def _characters(evidence: Evidence) -> set[int]:
    spans = [quote.citation.span for quote in evidence.quotes]
    return {at for span in spans for at in range(span.start, span.end)}
