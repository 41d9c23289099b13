"""`python -m tests.bench [PART...] [--long] [--sizes 10000,100000]`: measure parts, merge results, write the page."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence

from rich.console import Console
from rich.table import Table
from tests.bench import (
    absence,
    agent_cost,
    agent_lists,
    answers,
    attacks,
    backup,
    changes,
    first_answer,
    first_paint,
    footprint,
    graph,
    history,
    indexing,
    kept_revisions,
    large_account,
    log_beside,
    many_workers,
    mentions,
    mixed_formats,
    models,
    nearest,
    nextcloud,
    over_grpc,
    page,
    partitions,
    personal,
    phrasings,
    quality,
    results,
    retrieval,
    runtimes,
    sampled_answers,
    serving,
    strangers,
    unanswered,
    vault,
    watching,
    yardsticks,
)
from tests.bench.figures import Figure
from tests.bench.measure import Stopwatch, load
from tests.bench.pace import pace

_SIZED: dict[str, Callable[[int], Awaitable[dict[str, object]]]] = {
    "search": serving.measure,
    "phrasings": phrasings.measure,
    "over_grpc": over_grpc.measure,
    "retrieval": retrieval.measure,
    "edits": indexing.live_edits,
    "start": serving.starts,
    "first_answer": first_answer.measure,
    "disk": footprint.disk,
    "mixed_formats": mixed_formats.measure,
    "concurrent_answers": sampled_answers.measure,
    "nextcloud": nextcloud.account,
    "history": history.measure,
    "graph": graph.measure,
    "backup": backup.measure,
    "first_paint": first_paint.measure,
    "partitions": partitions.measure,
}
_PLAIN: dict[str, Callable[[], Awaitable[dict[str, object]]]] = {
    "load": indexing.first_load,
    "whole": indexing.whole_indexing,
    "runtimes": runtimes.measure,
    "rescan": indexing.rescan,
    "mentions": mentions.mentions,
    "vault": vault.vault,
    "watching": watching.watching,
    "install": lambda: asyncio.to_thread(footprint.installation),
    "yardsticks": yardsticks.measure,
    "agent_cost": agent_cost.measure,
    "agent_lists": agent_lists.measure,
    "collections": quality.collections,
    "golden": quality.golden,
    "beside": quality.beside,
    "personal": personal.personal,
    "large_account": large_account.account,
    "log_beside": log_beside.measure,
    "many_workers": many_workers.measure,
    "absence": absence.measure,
    "unanswered": unanswered.measure,
    "attacks": attacks.attacks,
    "strangers": strangers.measure,
    "models": models.models,
    "nearest": nearest.measure,
    "answers": answers.checked,
    "quoted": answers.quoted,
    "kept_revisions": kept_revisions.measure,
    "changes": changes.compared,
    "repository": changes.repository,
}
_DEFAULT_SIZES = {
    "mixed_formats": (1_000,),
    "nextcloud": (17_000,),
    "history": (5_000,),
    "partitions": (24_000,),
    "retrieval": (10_000, 100_000),
}
_SIZE = (100_000,)
_LONG = (
    "absence",
    "attacks",
    "history",
    "large_account",
    "log_beside",
    "many_workers",
    "mixed_formats",
    "nextcloud",
    "partitions",
    "repository",
    "strangers",
)
"""Measured by `--long` only: with them a run takes more than an hour. More than 100,000 chunks are measured by neither
(`retrieval --sizes 300000,1000000`): the index of a million takes hours."""


def main() -> None:
    """Run the parts that were named, or all but the long ones."""
    known = [*_SIZED, *_PLAIN, "page"]
    given = argparse.ArgumentParser(prog="tests.bench", description=__doc__)
    given.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(known)}")
    given.add_argument("--long", action="store_true", help=f"without names: {', '.join(_LONG)} instead of all others")
    given.add_argument("--sizes", type=_sizes, help="chunks (history: documents, graph: nodes), separated by commas")
    asked = given.parse_args()
    parts: list[str] = asked.parts or [part for part in known if (part in _LONG) == asked.long]
    if unknown := set(parts) - set(known):
        given.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    for part in parts:
        _run(part, asked.sizes)
    _show(page.write())


def _run(part: str, sizes: Sequence[int] | None) -> None:
    if part in _SIZED:
        for size in sizes or _DEFAULT_SIZES.get(part, _SIZE):
            _measure(f"{part}-{size}", lambda size=size: _SIZED[part](size))
    elif part in _PLAIN:
        _measure(part, _PLAIN[part])


def _measure(name: str, work: Callable[[], Awaitable[dict[str, object]]]) -> None:
    sys.stderr.write(f"measuring {name}\n")

    async def measured() -> dict[str, object]:
        return await work()

    before, quick, watch = load(), pace(), Stopwatch()
    result = asyncio.run(measured())
    took = watch.lap()
    sys.stderr.write(f"measured {name} in {took:.0f} s\n")
    results.merge(name, {**result, "load_before": before, "pace_s": quick, "took_s": round(took, 1)})


def _sizes(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _show(rows: Sequence[Figure]) -> None:
    table = Table("figure", "measured", "bar", "met")
    for row in rows:
        met = "" if row.met is None else "yes" if row.met else "[bold red]no"
        table.add_row(row.name, row.measured, row.bar, met)
    Console().print(table)


if __name__ == "__main__":
    main()
