"""kb.search and kb.retrieve_evidence over stdio, a question alone and with three further phrasings, in turns."""

import json
from collections.abc import Sequence
from itertools import islice
from typing import Any

import yaml
from mcp import Client
from tests.bench.index import ensure_index
from tests.bench.locations import COLLECTIONS, ROOT, SHARED, index_folder
from tests.bench.measure import Latency, Stopwatch, load
from tests.bench.serving import served
from tests.bench.texts import questions

from citemark.model.errors import BackendUnavailable

QUESTIONS = 100
_WARM_UP = 30
_PHRASINGS = 3
_WITHOUT_GRAPH = "kb_search without the graph"
_TOOLS = {"kb_search": "query", "kb_retrieve_evidence": "question"}


async def measure(size: int) -> dict[str, object]:
    """Medians and p95 of both tools, and how much longer three phrasings take; no turn follows its own kind."""
    await ensure_index(size)
    phrased = _phrased()
    asked = [text for text in questions() if text in phrased][: QUESTIONS + _WARM_UP]
    times: dict[str, list[float]] = {}
    before = load()
    async with served(index_folder(size)) as client:
        for number, text in enumerate(asked):
            for tool, argument in _TOOLS.items():
                for name, also in ((tool, ()), (f"{tool} phrased", phrased[text])):
                    watch = Stopwatch()
                    await _ask(client, tool, {argument: text, "also": list(also)})
                    if number >= _WARM_UP:
                        times.setdefault(name, []).append(watch.lap())
            watch = Stopwatch()
            await _ask(client, "kb_search", {"query": text, "options": {"mode": "vector_only"}})
            if number >= _WARM_UP:
                times.setdefault(_WITHOUT_GRAPH, []).append(watch.lap())
    found = {name: Latency.of(seconds) for name, seconds in times.items()}
    return {
        "tools": {
            tool: {
                "alone": found[tool].as_dict(),
                "phrased": found[f"{tool} phrased"].as_dict(),
                "ratio": round(found[f"{tool} phrased"].p50 / found[tool].p50, 2),
            }
            for tool in _TOOLS
        },
        "without_graph": {
            **found[_WITHOUT_GRAPH].as_dict(),
            "ratio": round(found[_WITHOUT_GRAPH].p50 / found["kb_search"].p50, 2),
        },
        "load": [before, load()],
    }


async def _ask(client: Client, tool: str, arguments: dict[str, Any]) -> None:
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise BackendUnavailable(f"{tool} failed: {result.content}")


def _phrased() -> dict[str, Sequence[str]]:
    """Three phrasings of each question that has as many."""
    found: dict[str, Sequence[str]] = {}
    for name in COLLECTIONS:
        text = (ROOT / "tests" / "data" / "phrasings" / f"{name}.yaml").read_text("utf-8")
        known: dict[str, list[str]] = yaml.safe_load(text)
        for line in (SHARED / "ir" / name / "queries.jsonl").read_text("utf-8").splitlines():
            query: dict[str, Any] = json.loads(line)
            also = tuple(islice(known.get(str(query["_id"]), ()), _PHRASINGS))
            if len(also) == _PHRASINGS:
                found[str(query["text"])] = also
    return found
