"""Which tests run which lines: recorded once per test file, and again when that file changes.

Lines are kept as the function that they stand in and their text, so that a record stays true when lines move.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from coverage import CoverageData
from tests.mutants.mutations import Mutant
from tests.mutants.rooms import FOLDER, ROOMS, ROOT, SOURCE, files_of, say

_RECORDED = ("tests/unit", "tests/integration", "tests/contract")
"""Acceptance tests drive other processes, of which coverage is not recorded; soak takes hours."""

_RECORDS = FOLDER / "coverage"

Lines = dict[str, dict[str, dict[str, list[int]]]]
"""The numbers of the tests that run a line: by path, function and text of the line."""


@dataclass(frozen=True, slots=True)
class TimedTest:
    """A test, what it took when it was recorded, and the longest of its file, which may have made what all share."""

    ident: str
    seconds: float
    longest: float


@dataclass(slots=True)
class CoverageMap:
    """The tests of every recorded file by the lines that they run."""

    tests: list[TimedTest] = field(default_factory=list[TimedTest])
    lines: Lines = field(default_factory=dict[str, dict[str, dict[str, list[int]]]])

    def covering(self, mutant: Mutant, source: str) -> list[TimedTest]:
        """The tests that run the statement; of one that runs at import only, those that name it, or all."""
        functions = self.lines.get(mutant.path, {})
        texts = source.splitlines()[mutant.first_line - 1 : mutant.last_line]
        here = functions.get(mutant.scope, {})
        found = {number for text in texts for number in here.get(text.strip(), ())}
        if not found and mutant.names:
            wanted = re.compile(r"\b(" + "|".join(map(re.escape, mutant.names)) + r")\b")
            found = set(self._naming(wanted))
        if not found:
            found = self._running(functions, mutant.scope) or self._running(functions, "")
        return [self.tests[number] for number in sorted(found)]

    def _running(self, functions: Mapping[str, Mapping[str, Sequence[int]]], scope: str) -> set[int]:
        inside = [lines for name, lines in functions.items() if _within(name, scope)]
        return {number for lines in inside for numbers in lines.values() for number in numbers}

    def _naming(self, wanted: re.Pattern[str]) -> Iterator[int]:
        for functions in self.lines.values():
            for lines in functions.values():
                for text, numbers in lines.items():
                    if wanted.search(text):
                        yield from numbers

    def add(self, record: dict[str, Any]) -> None:
        """Add what the tests of one file run."""
        first, seconds = len(self.tests), record["tests"]
        longest = max(seconds.values(), default=0.0)
        self.tests += [TimedTest(ident, took, longest) for ident, took in seconds.items()]
        for path, functions in record["lines"].items():
            for scope, lines in functions.items():
                there = self.lines.setdefault(path, {}).setdefault(scope, {})
                for text, numbers in lines.items():
                    there.setdefault(text, []).extend(first + number for number in numbers)


def _within(scope: str, outer: str) -> bool:
    return not outer or scope == outer or scope.startswith(outer + ".")


def recorded(workers: int, *, as_it_is: bool = False) -> CoverageMap:
    """The map of every test file, after those that changed were run under coverage, unless it is taken as it is."""
    stale = [path for path in _test_files() if not _is_fresh(path)]
    if stale and not as_it_is:
        _record(stale, workers)
    made = CoverageMap()
    for path in _test_files():
        if _record_of(path).exists():
            made.add(json.loads(_record_of(path).read_text()))
    return made


def tests_state() -> str:
    """Changes when any test file does: a mutant that survived is tried again then."""
    return sha256(b"\0".join(path.read_bytes() for path in _test_files())).hexdigest()[:12]


def _test_files() -> list[Path]:
    return sorted(path for folder in _RECORDED for path in (ROOT / folder).rglob("test_*.py"))


def _record_of(test_file: Path) -> Path:
    return _RECORDS / (str(test_file.relative_to(ROOT)).replace("/", "-") + ".json")


def _is_fresh(test_file: Path) -> bool:
    record = _record_of(test_file)
    return record.exists() and json.loads(record.read_text())["digest"] == _digest(test_file)


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _record(stale: Sequence[Path], workers: int) -> None:
    say(f"recording what the tests of {len(stale)} files run")
    _RECORDS.mkdir(parents=True, exist_ok=True)
    data, durations = FOLDER / "recorded.coverage", FOLDER / "durations.json"
    for old in FOLDER.glob("recorded.coverage*"):
        old.unlink()
    few = min(workers, len(stale))
    # In one process pytest-cov must not hear of workers: it would wait for theirs and note no line of its own.
    spread = f"-n {few} --dist loadfile" if few > 1 else "-n 0 --dist no"
    options = (
        f"-q {spread} -p tests.mutants.timing_plugin --timeout 600 "
        "--cov citemark --cov-context test --cov-report= --cov-fail-under 0"
    )
    with (FOLDER / "recording.log").open("w") as log:
        subprocess.run(
            [sys.executable, "-m", "pytest", *options.split(), *(str(path.relative_to(ROOT)) for path in stale)],
            cwd=ROOT,
            env={**_outside_of_a_run(), "COVERAGE_FILE": str(data), "CITEMARK_MUTANT_TIMES": str(durations)},
            stdout=log,
            check=False,
        )
    keep(data, durations, stale)


def _outside_of_a_run() -> dict[str, str]:
    """The environment without what a run of pytest tells its workers: this run may be a test of another."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}


def keep(data: Path, durations: Path, test_files: Iterable[Path]) -> None:
    """Keep what a run under coverage recorded of some test files; only tests that passed are in `durations`."""
    _RECORDS.mkdir(parents=True, exist_ok=True)
    seconds: dict[str, dict[str, float]] = defaultdict(dict)
    for ident, took in json.loads(durations.read_text()).items():
        seconds[ident.partition("::")[0]][ident] = round(took, 3)
    lines = _lines_by_file(data, {name: list(tests) for name, tests in seconds.items()})
    for path in test_files:
        name = str(path.relative_to(ROOT))
        record = {"digest": _digest(path), "tests": seconds.get(name, {}), "lines": lines.get(name, {})}
        _record_of(path).write_text(json.dumps(record))


def _lines_by_file(data: Path, tests: dict[str, list[str]]) -> dict[str, Lines]:
    numbers = {ident: (name, number) for name, idents in tests.items() for number, ident in enumerate(idents)}
    read = CoverageData(str(data))
    read.read()
    rooms = {str(path.relative_to(SOURCE)) for room in ROOMS for path in files_of(room)}
    found: dict[str, Lines] = {}
    for measured in read.measured_files():
        path = measured.rpartition("/src/citemark/")[2]
        if path not in rooms:
            continue
        source = Path(measured).read_text()
        texts, scopes = source.splitlines(), _scopes(source)
        for line, contexts in read.contexts_by_lineno(measured).items():
            for ident in {context.rpartition("|")[0] for context in contexts}:
                if ident in numbers and line <= len(texts):
                    name, number = numbers[ident]
                    there = found.setdefault(name, {}).setdefault(path, {}).setdefault(scopes[line - 1], {})
                    there.setdefault(texts[line - 1].strip(), []).append(number)
    return found


def _scopes(source: str) -> list[str]:
    """The function or class, with those around it, that each line stands in."""
    scopes = [""] * len(source.splitlines())

    def fill(node: ast.AST, outer: str) -> None:
        for child in ast.iter_child_nodes(node):
            scope = outer
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                scope = f"{outer}.{child.name}".lstrip(".")
                last = child.end_lineno or child.lineno
                scopes[child.lineno - 1 : last] = [scope] * (last - child.lineno + 1)
            fill(child, scope)

    fill(ast.parse(source), "")
    return scopes
