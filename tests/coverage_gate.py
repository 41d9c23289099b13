"""The gate of `make test`: every line of the rooms that decide what is shown, and nine tenths of all others.

Subprocesses are not measured: a line that only runs in one counts as not run.
"""

import sys
from pathlib import Path

from coverage import Coverage

SOURCE = Path(__file__).resolve().parents[1] / "src" / "citemark"
WHOLE = (
    "retrieval/",
    "evidence/",
    "services/",
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


def measured(data_file: str) -> dict[str, tuple[int, list[int]]]:
    """The statements of each file and the missing ones, from a data file of coverage."""
    coverage = Coverage(data_file=data_file, source=[str(SOURCE)])
    coverage.load()
    found: dict[str, tuple[int, list[int]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        _, statements, _, missing, _ = coverage.analysis2(str(path))
        found[path.relative_to(SOURCE).as_posix()] = (len(statements), missing)
    return found


def main(data_file: str) -> int:
    """Print what is missing; 1 when anything is."""
    told = shortfalls(measured(data_file))
    for line in told:
        sys.stderr.write(line + "\n")
    if told:
        sys.stderr.write("Write a test for these lines, or `# pragma: no cover - the reason` where none can be.\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
