"""What was measured so far: parts are run one by one, and merged."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.locations import ROOT

FILE = ROOT / "docs" / "benchmarks.json"

SLOWER = "slower"
"""The key of a part's last result on a slower machine, beside the figures of the quicker one."""

_USUAL_PACE_S = 0.76
"""That of 2026-11-21, which results without a pace are from, or older than the note of it."""

_SLOWER_BY = 1.25
"""Below this, the pace differs from one minute to the next."""

_TIMED = frozenset(
    {
        "changes",
        "concurrent_answers",
        "edits",
        "first_answer",
        "first_paint",
        "graph",
        "history",
        "load",
        "many_clients",
        "nextcloud",
        "phrasings",
        "rescan",
        "retrieval",
        "search",
        "start",
        "watching",
    }
)
"""The parts whose bars are times on this machine; the bars of others are counts, bytes and ratios within one run."""


def read(file: Path = FILE) -> dict[str, dict[str, Any]]:
    """Every part's last result, by name."""
    if not file.exists():
        return {}
    found: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return found


def merge(part: str, result: dict[str, object], file: Path = FILE) -> None:
    """Keep a part's result, in place of its last one; `took_s` counts what is made once, such as an index.

    Times that a slower machine took (`pace_s`) do not replace those of a quicker one: they are kept beside them.
    """
    every = read(file)
    new = {**result, "on": datetime.now(UTC).date().isoformat()}
    kept = every.get(part)
    every[part] = {**kept, SLOWER: new} if kept and _is_timed(part) and _is_slower(new, kept) else new
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(dict(sorted(every.items())), indent=1) + "\n", encoding="utf-8")


def of_slower_machines(results: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What was measured again on a slower machine."""
    return {part: result[SLOWER] for part, result in results.items() if SLOWER in result}


def _is_timed(part: str) -> bool:
    name, _, size = part.rpartition("-")
    return (name if size.isdigit() else part) in _TIMED


def _is_slower(new: dict[str, Any], kept: dict[str, Any]) -> bool:
    pace: float = new.get("pace_s", _USUAL_PACE_S)
    return pace > _SLOWER_BY * kept.get("pace_s", _USUAL_PACE_S)
