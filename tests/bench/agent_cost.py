"""What an agent pays until it has read the right quote: calls and bytes, with Citemark and with grep.

Both are asked with the same committed phrasings, which a language model wrote without seeing the documents. Citemark is
called with its defaults, then for more bytes. Grep looks for lines with the two, then the three rarest words of each
phrasing in turn, with two lines around them and at most 4,000 bytes of output a command. No model chooses the words in
between: one that does needs fewer commands than this, and one that phrases again needs fewer calls.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.absence import indexed
from tests.bench.locations import GOLDEN, SHARED

from citemark.app.compose import App
from citemark.evaluation.golden import GoldenQuestion, load_golden, stands_in
from citemark.evaluation.phrasings import load_phrasings, phrased
from citemark.evidence.budget import EvidenceLimits, bytes_len
from citemark.evidence.scoring import question_tokens
from citemark.services.requests import Caller, SearchRequest
from citemark.tools.kb.evidence_tools import evidence_reply
from citemark.tools.reply import ReplyPacker

FURTHER = (None, 4_000, 8_000)
"""The bytes of quotes that are asked for, call by call."""

_WORDS = (2, 3)
_HEAD = 4_000
"""Bytes of a command's output that are read, as with `| head -c 4000`."""


_PLACE = re.compile(r"^\./[^\n]*?[:-]\d+[:-]", re.MULTILINE)
"""The file and line that grep writes before each line."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one call shows, and the words of documents in it."""

    text: str
    documents: Sequence[str]


@dataclass(frozen=True, slots=True)
class Paid:
    """Calls and bytes until every part of the answer had been read; `right` is false if that never happened."""

    right: bool
    calls: int
    size: int


async def measure() -> dict[str, object]:
    """Medians over the answerable questions on the documentation, and a row for each."""
    folder = SHARED / "docs-mcp" / "docs"
    questions = phrased(load_golden(GOLDEN / "docs-dev.yaml"), load_phrasings(GOLDEN / "docs-dev-phrasings.yaml"))
    counts = await asyncio.to_thread(_pages_with_words, folder)
    rows: list[dict[str, Any]] = []
    async with indexed("docs", folder) as app:
        for question in (each for each in questions if each.answerable):
            citemark = await paid(question, _evidence(app, question))
            grep = await paid(question, _grep(folder, question, counts))
            rows.append({"id": question.question_id, "citemark": row_of(citemark), "grep": row_of(grep)})
    return {
        "questions": len(rows),
        **{name: figures_of([row[name] for row in rows]) for name in ("citemark", "grep")},
        "rows": rows,
    }


async def paid(question: GoldenQuestion, results: AsyncIterator[Result]) -> Paid:
    """What is paid until the results so far hold an expected answer of every group."""
    read: list[str] = []
    calls = size = 0
    async for result in results:
        calls, size = calls + 1, size + bytes_len(result.text)
        read += result.documents
        if all(any(stands_in(entry.answer, read) for entry in group) for group in question.groups):
            return Paid(True, calls, size)
    return Paid(False, calls, size)


async def _evidence(app: App, question: GoldenQuestion) -> AsyncIterator[Result]:
    caller = Caller.local()
    request = SearchRequest(query=question.question, also=question.also, min_score=app.settings.min_score)
    for size in FURTHER:
        evidence = await app.services.evidence.retrieve(caller, request, EvidenceLimits(size))
        files = await app.services.catalog.local_files(caller)
        text = ReplyPacker(structured=True).pack_with_files(evidence_reply(evidence), files).text
        yield Result(text, [quote.quote for quote in evidence.quotes])


def _pages_with_words(folder: Path) -> Counter[str]:
    """How many pages contain each word."""
    counts: Counter[str] = Counter()
    for path in folder.rglob("*.md*"):
        counts.update(question_tokens(path.read_text("utf-8")))
    return counts


async def _grep(folder: Path, question: GoldenQuestion, counts: Mapping[str, int]) -> AsyncIterator[Result]:
    for count in _WORDS:
        for phrasing in (question.question, *question.also):
            words = sorted(question_tokens(phrasing) & counts.keys(), key=lambda word: (counts[word], word))[:count]
            pattern = "|".join(".*".join(each) for each in permutations(words))
            process = await asyncio.create_subprocess_exec(
                "grep", "-rniE", "-C2", "--", pattern, ".", cwd=folder, stdout=asyncio.subprocess.PIPE
            )
            found, _ = await process.communicate()
            text = found[:_HEAD].decode("utf-8", "ignore")
            yield Result(text, [_PLACE.sub("", text)])


def row_of(cost: Paid) -> dict[str, int | bool]:
    """What one question cost, by the names of a row."""
    return {"right": cost.right, "calls": cost.calls, "bytes": cost.size}


def figures_of(rows: Sequence[dict[str, Any]]) -> dict[str, object]:
    """Sums over the rows, and the median of their bytes."""
    return {
        "right": sum(row["right"] for row in rows),
        "right_at_first": sum(row["right"] and row["calls"] == 1 for row in rows),
        "calls": sum(row["calls"] for row in rows),
        "bytes": sum(row["bytes"] for row in rows),
        "bytes_median": median(row["bytes"] for row in rows),
    }
