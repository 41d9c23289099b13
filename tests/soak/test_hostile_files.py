"""Files made to break whoever reads them: each is indexed or reported, and all others are found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.acceptance.served import CITEMARK, Served, index
from tests.support.hostile_documents import hostile_documents
from tests.support.hostile_locations import NAMES, PLACES, UNLISTED, Restless, place
from tests.support.index import Index

from citemark.app.open_index import open_app
from citemark.settings import Settings

LONG = bool(os.environ.get("CITEMARK_SOAK"))
_EVERY = 1 if LONG else 50
_SOUND = 20
_MOST_MEMORY = 1_300 * 2**20
"""Bytes: the 900 MiB of a parsing process or the 400 of the main one above what Python and the model take."""

_MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:])
with open(sys.argv[1], "a") as peaks:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=peaks)
sys.exit(done.returncode)
"""
"""Runs a command and notes the most kibibytes that one of its processes took.

In a small process: a child counts what its parent takes when it starts, and a worker of pytest takes more and more.
"""


def _citemark(served: Served, peaks: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", _MEASURED, str(peaks), CITEMARK, *arguments],
        env={**served.environment, "CITEMARK_PARSE_SECONDS": "15"},
        capture_output=True,
        text=True,
        errors="backslashreplace",
        check=False,
        timeout=1_800 if LONG else 150,
    )


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_every_hostile_file_is_indexed_or_reported_and_hides_no_other(folder: Path) -> None:
    docs, peaks, served = folder / "docs", folder / "peaks", index(folder / "data")
    files = dict(list(hostile_documents().items())[::_EVERY])
    places: list[str | bytes] = [*NAMES, *PLACES][::_EVERY]
    for name, data in files.items():
        (docs / name).write_bytes(data)
    for name in places:
        place(docs, name)
    for number in range(_SOUND):
        (docs / f"sound-{number}.md").write_text(f"# Sound {number}\n\nThe valve of line {number} opens at 3 bar.\n")
    with Restless(docs):
        added = _citemark(
            served, peaks, "add", "docs", str(docs), "--name", "odd", "--include", "*", "--quiet", "--json"
        )
    again = _citemark(served, peaks, "sync", "--quiet", "--json")
    for done in (
        added,
        again,
        _citemark(served, peaks, "status"),
        _citemark(served, peaks, "search", "valve line 3 bar"),
    ):
        assert done.returncode in {0, 1}, done.stderr[-3000:]
        assert "Traceback" not in done.stdout + done.stderr, done.stderr[-3000:]
        assert "\x1b[" not in done.stdout

    peak = max(int(line) * 1024 for line in peaks.read_text().split())
    indexed, reported = await _known(folder / "data")
    given = {*files, *(_shown(name) for name in places if name not in UNLISTED)}
    lost = sorted(name for name in given if name not in indexed | reported)
    counts = f"{len(given)} kinds: {len(given & indexed)} indexed, {len(given & reported)} reported"
    print(f"{counts}; {peak / 2**20:.0f} MiB at most")  # noqa: T201 - the figures of a soak
    assert not lost
    assert {f"sound-{number}.md" for number in range(_SOUND)} <= indexed
    assert peak < _MOST_MEMORY


def _shown(name: str | bytes) -> str:
    return name if isinstance(name, str) else os.fsdecode(name).encode("utf-8", "backslashreplace").decode()


async def _known(data_dir: Path) -> tuple[set[str], set[str]]:
    """The names of what is indexed, and of what is reported."""
    async with open_app(Settings(data_dir=data_dir)) as app:
        source = next(iter(await app.local_sources()))
        stored = Index(app.stores.database)
        rows = await stored.rows(
            "SELECT DISTINCT native_id FROM document WHERE page_id IS NULL AND valid_to = 'infinity'"
        )
        problems = await app.stores.sources.problems(source, 1_000)
    return {row[0] for row in rows}, {problem.native_id for problem in problems}
