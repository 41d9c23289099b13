"""Runs the tests that cover a mutant against a copy of the code that holds it."""

import compileall
import json
import os
import py_compile
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Literal

import psycopg
from psycopg import sql
from tests.mutants.coverage_map import TimedTest
from tests.mutants.mutations import Mutant
from tests.mutants.rooms import FOLDER, ROOT, SOURCE
from tests.support.postgres import reachable_folder, remove_server, shared_server

State = Literal["killed", "slow", "survived", "uncovered"]

_MOST_SECONDS = 45.0
"""Of tests per mutant, as they took unmutated: 400 mutants of which a seventh survives then fit into an hour."""

_MOST_TESTS = 300
"""Of which the fastest come first; a mutant that these do not kill counts as a survivor."""

_STARTING = 30.0
"""Seconds for Python, the imports and the first database on a machine with other work."""

_PATIENCE = 10.0
"""Times as long as unmutated: what takes longer is a loop without an end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant, and the test that failed."""

    state: State
    test: str
    seconds: float


def chosen(covering: Sequence[TimedTest], path: str) -> list[TimedTest]:
    """Those of the module's own test file first, then the fastest, as long as they fit."""
    own = f"/{Path(path).parent}/test_{Path(path).stem}.py::"
    taken: list[TimedTest] = []
    total = 0.0
    for test in sorted(covering, key=lambda each: (own not in each.ident, each.seconds)):
        if len(taken) == _MOST_TESTS or (taken and total + test.seconds > _MOST_SECONDS):
            break
        taken.append(test)
        total += test.seconds
    return sorted(taken, key=lambda each: each.seconds)


class Workplace:
    """A copy of the code and a PostgreSQL for one worker."""

    def __init__(self, folder: Path, dsn: str) -> None:
        self._folder = folder
        self._dsn = dsn

    @classmethod
    @contextmanager
    def opened(cls, number: int) -> Generator["Workplace"]:
        """Copy the code, start the server; stop it in the end."""
        folder = FOLDER / f"worker-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SOURCE, folder / "src" / "citemark", ignore=shutil.ignore_patterns("__pycache__"))
        # By content: two mutants of a file may have the same size and be made within the same second.
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(folder, quiet=2, invalidation_mode=checked)
        root = reachable_folder()
        try:
            with shared_server(root) as dsn:
                yield cls(folder, dsn)
        finally:
            remove_server(root)

    def attempt(self, mutant: Mutant, tests: Sequence[TimedTest]) -> Outcome:
        """Run the tests until one fails."""
        if not tests:
            return Outcome("uncovered", "", 0.0)
        allowed = {test.ident: _STARTING + _PATIENCE * max(test.seconds, test.longest / 4) for test in tests}
        (self._folder / "chosen.json").write_text(json.dumps(allowed))
        killer = self._folder / "killer"
        killer.unlink(missing_ok=True)
        place = self._folder / "src" / "citemark" / mutant.path
        unchanged = place.read_text()
        began = monotonic()
        place.write_text(mutant.code)
        try:
            code = self._run(sorted({test.ident.partition("::")[0] for test in tests}), sum(t.seconds for t in tests))
        finally:
            place.write_text(unchanged)
            self._drop_databases()
        took = round(monotonic() - began, 1)
        if code is None:
            return Outcome("slow", "", took)
        if code == 0:
            return Outcome("survived", "", took)
        return Outcome("killed", killer.read_text() if killer.exists() else "imports", took)

    def _run(self, files: Sequence[str], seconds: float) -> int | None:
        """pytest's exit code, None when it took too long."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self._folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CITEMARK_MUTANT_FOLDER": str(self._folder),
            "CITEMARK_TEST_DSN": self._dsn,
        }
        options = "-n 0 -x -q -p no:cacheprovider -p tests.mutants.chosen_plugin --timeout-method signal"
        with (self._folder / "log").open("w") as log:
            running = subprocess.Popen(
                [sys.executable, "-m", "pytest", *options.split(), *files],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                return running.wait(2 * _STARTING + _PATIENCE * seconds)
            except subprocess.TimeoutExpired:
                return None
            finally:
                _end(running)

    def _drop_databases(self) -> None:
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            names = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 't\\_%'").fetchall()
            for (name,) in names:
                connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _end(running: subprocess.Popen[bytes]) -> None:
    """End pytest and what it has started: a mutant may have kept it from ending that itself."""
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    running.wait()
