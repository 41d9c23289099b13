"""A copy of the repository in which a clause is broken and the tests that it names are run."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.clauses.breaks import ROOT, Break
from tests.requirements_data.form import Requirement
from tests.requirements_data.marks import Mark

_TIMEOUT = 1800  # seconds: the tests of the whole sample take a minute or two, on a busy machine many more
_CHEAPEST_FIRST = ("unit", "contract", "integration", "acceptance", "soak")
_MADE_BESIDE = (".venv", ".build")


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run of tests: the first that failed, or None where all passed, and the end of the output."""

    red: str | None
    passed: bool
    output: str


def proofs_of(clause: Requirement, marks: Iterable[Mark]) -> Sequence[str]:
    """The tests that a clause names, the cheap ones first; those of `make soak` only where there are no others."""
    marked = [f"tests/{mark.test}" for mark in marks if mark.test and mark.requirement == clause.id]
    named = list(dict.fromkeys([*marked, *clause.tests]))
    usual = [test for test in named if not test.startswith("tests/soak/")]
    return sorted(usual or named, key=lambda test: _CHEAPEST_FIRST.index(test.split("/")[1]))


@dataclass(frozen=True, slots=True)
class Copy:
    """The files of the repository as they are, in a folder of their own, with the same environment beside them."""

    root: Path

    def run(self, tests: Sequence[str], *options: str) -> Ran:
        """Run tests in the copy. A file that cannot be imported, or a fixture that fails, is no red test."""
        report = self.root.with_suffix(".xml")
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *options]
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                [*command, *tests],
                cwd=self.root,
                env=environment,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return Ran(None, passed=False, output=f"the tests did not end within {_TIMEOUT} s")
        output = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
        return Ran(_first_red(report) if done.returncode == 1 else None, passed=done.returncode == 0, output=output)

    @contextmanager
    def broken(self, patch: Break) -> Generator[None, None, None]:
        """The copy with a clause broken.

        Raises:
            NoLongerApplies: the patch is not of this source.
        """
        file = self.root / patch.file
        text = file.read_text(encoding="utf-8")
        file.write_text(patch.applied(text), encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(text, encoding="utf-8")


@contextmanager
def copy_of_the_repository() -> Generator[Copy, None, None]:
    """Every file that git knows or would take, as it is now; what is changed in the copy is thrown away."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    with tempfile.TemporaryDirectory(prefix="citemark-clauses-") as folder:
        root = Path(folder) / "repository"
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name)
        for name in _MADE_BESIDE:
            (root / name).symlink_to(ROOT / name)
        if (shared := ROOT.parent / "shared").exists():
            (root.parent / "shared").symlink_to(shared.resolve())
        yield Copy(root)


def _first_red(report: Path) -> str | None:
    if not report.exists():
        return None
    cases = ET.parse(report).getroot().iter("testcase")  # noqa: S314 - written by pytest a moment ago
    red = (f"{each.get('classname')}::{each.get('name')}" for each in cases if each.find("failure") is not None)
    return next(red, None)
