"""The gate of `make test`: every line of the rooms that decide what is shown, and nine tenths of all others.

Subprocesses are not measured: a line that only runs in one counts as not run.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from coverage import Coverage, CoverageData

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "citemark"
WHOLE = (
    "retrieval/",
    "evidence/",
    "services/",
    "features/archimate/services/",
    "features/nextcloud/services/",
    "features/graph/services/",
    "store/scope.py",
    "store/grants.py",
    "tools/http_access.py",
)
"""Retrieval, evidence, the services and the checks of access, below src/citemark."""

OWED: dict[str, str] = {}
"""What need not be whole yet, each with why; it counts elsewhere. The table only becomes shorter."""

LEAST_ELSEWHERE = 90
"""Percent of the lines."""


def shortfalls(lines: dict[str, tuple[int, list[int]]]) -> list[str]:
    """What is missing, in sentences.

    Args:
        lines: of each file below src/citemark, how many statements it has, and the lines of those that did not run.
    """
    told = [
        f"{name}: no test runs line {', '.join(map(str, missing))}"
        for name, (_, missing) in sorted(lines.items())
        if missing and _must_be_whole(name)
    ]
    elsewhere = [found for name, found in lines.items() if not _must_be_whole(name)]
    statements, missed = sum(count for count, _ in elsewhere), sum(len(missing) for _, missing in elsewhere)
    if 100 * (statements - missed) < LEAST_ELSEWHERE * statements:
        told.append(f"elsewhere: {1 - missed / statements:.1%} of the lines run, and {LEAST_ELSEWHERE}% are wanted")
    return told


def _must_be_whole(name: str) -> bool:
    return name.startswith(WHOLE) and not name.startswith(tuple(OWED))


def measured(lines_run: dict[str, list[int]], within: Path = SOURCE) -> dict[str, tuple[int, list[int]]]:
    """How many statements each file below src/citemark has, and the lines of those that did not run.

    Args:
        within: the part of it to look at.
        lines_run: of files, by absolute path, the lines that ran. What counts as a statement and what is excluded is
            asked of coverage, as pyproject.toml configures it.
    """
    with TemporaryDirectory() as folder:
        data = CoverageData(str(Path(folder, "lines")))
        data.add_lines(lines_run)
        data.write()
        coverage = Coverage(data_file=data.data_filename(), source=[str(SOURCE)])
        coverage.load()
        return {
            path.relative_to(SOURCE).as_posix(): _statements(coverage, path) for path in sorted(within.rglob("*.py"))
        }


def _statements(coverage: Coverage, path: Path) -> tuple[int, list[int]]:
    _, statements, _, missing, _ = coverage.analysis2(str(path))
    return len(statements), missing


def lines_run(reports: Path) -> dict[str, list[int]]:
    """Which lines ran, by absolute path, from the folder of what each worker wrote (conftest.py)."""
    found: dict[str, set[int]] = {}
    for report in sorted(reports.glob("*.json")):
        for name, lines in json.loads(report.read_text("utf-8")).items():
            found.setdefault(str(ROOT / name), set()).update(lines)
    return {name: sorted(lines) for name, lines in found.items()}


def main(reports: str) -> int:
    """Print what is missing; 1 when anything is."""
    told = shortfalls(measured(lines_run(Path(reports))))
    for line in told:
        sys.stderr.write(line + "\n")
    if told:
        sys.stderr.write("Write a test for these lines, or `# pragma: no cover - the reason` where none can be.\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
