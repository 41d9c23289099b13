"""`citemark problems`: what of a source could not be read, and which of its links lead nowhere."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from citemark.cli.run import CommandContext
from citemark.cli.sources import chosen_sources
from citemark.model.sources import Source
from citemark.services.app_context import AppContext


async def list_problems(run: CommandContext, app: AppContext, names: Sequence[str], limit: int) -> int:
    """Both kinds for each source named, or for all; at most `limit` of each, and how many there are."""
    data: list[dict[str, Any]] = []
    lines: list[str] = []
    for source in (await chosen_sources(app, names)).values():
        entry, shown = await _of(app, source, limit)
        data.append(entry)
        lines += shown
    run.show({"sources": data}, "\n".join(lines) or "Nothing is wrong.")
    return 0


async def _of(app: AppContext, source: Source, limit: int) -> tuple[dict[str, Any], list[str]]:
    reported = await app.stores.sources.problems(source.source_id, limit)
    links, broken = await app.stores.links.broken(source.source_id, limit)
    lines = [f"{source.name}: {problem.native_id}: {problem.message}" for problem in reported]
    lines += [f"{source.name}: {link.native_id}: {link.message}" for link in links]
    if broken > len(links):
        lines.append(f"{source.name}: {broken - len(links)} more broken links; --limit shows more")
    entry = {
        "source": source.name,
        "problems": [asdict(problem) for problem in reported],
        "broken_links": [{**asdict(link), "message": link.message} for link in links],
        "broken_links_total": broken,
    }
    return entry, lines
