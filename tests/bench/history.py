"""Questions about HEAD and the past of documents that were rewritten many times, beside an index without history."""

from datetime import datetime
from itertools import cycle

from mcp import Client
from tests.bench.index import open_folder
from tests.bench.measure import Latency, Stopwatch, load, median
from tests.bench.serving import served
from tests.bench.superseded import ensure, moments
from tests.bench.texts import questions

from citemark.model.errors import BackendUnavailable

REVISIONS = 20
QUESTIONS = 150
_WARM_UP = 20
_STATES = (0.0, 0.5, 0.95, 0.25, 0.75)
"""Which moments are asked about: the oldest, the middle, a recent one, and two between."""

_OF_ONE = 10
"""Questions that are asked of one state at a stretch, as an agent would."""


async def measure(documents: int) -> dict[str, object]:
    """Latencies over stdio, each question asked of all three in turn.

    Every tenth question about the past is the first of its state.
    """
    long, short = await ensure(documents, REVISIONS)
    known = moments(long)
    states = cycle([known[int(share * (len(known) - 1))] for share in _STATES])
    asked = (questions() * 2)[: QUESTIONS + _WARM_UP]
    heads: list[float] = []
    plain: list[float] = []
    firsts: list[float] = []
    past: list[float] = []
    before = load()
    async with (
        open_folder(long.folder),  # the servers find their databases running
        open_folder(short.folder),
        served(long.folder) as keeping,
        served(short.folder) as forgetting,
    ):
        for text in asked[:_WARM_UP]:
            await _timed(keeping, text)
            await _timed(forgetting, text)
        state = next(states)
        for number, text in enumerate(asked[_WARM_UP:]):
            if number % _OF_ONE == 0:
                state = next(states)
            if number % 2:  # whoever is first embeds the question
                past.append(await _timed(keeping, text, state))
                heads.append(await _timed(keeping, text))
                plain.append(await _timed(forgetting, text))
            else:
                plain.append(await _timed(forgetting, text))
                heads.append(await _timed(keeping, text))
                past.append(await _timed(keeping, text, state))
            if number % _OF_ONE == 0:
                firsts.append(past[-1])
    head, without, then = Latency.of(heads), Latency.of(plain), Latency.of(past)
    return {
        "documents": documents,
        "revisions": REVISIONS,
        "head": head.as_dict(),
        "without_history": without.as_dict(),
        "as_of": then.as_dict(),
        "first_of_a_state_ms": round(median(firsts) * 1000, 1),
        "head_ratio": round(median([one / other for one, other in zip(heads, plain, strict=True)]), 3),
        "as_of_ratio": round(median([one / other for one, other in zip(past, heads, strict=True)]), 3),
        "load": [before, load()],
    }


async def _timed(client: Client, text: str, moment: datetime | None = None) -> float:
    arguments: dict[str, object] = {"query": text}
    if moment is not None:
        arguments["read_context"] = {"as_of": moment.isoformat()}
    watch = Stopwatch()
    result = await client.call_tool("kb_search", arguments)
    took = watch.lap()
    if result.is_error:
        raise BackendUnavailable(f"kb_search failed: {result.content}")
    return took
