"""`make dist` and `make dist-try`: the files of a release, made, checked and tried.

Without a word: build everything twice, compare the bytes, check it, and leave it in .build/dist. With `try`: install
that in the ways that people use, and run it. Exit code 1 when anything is not as it should be.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.dist import bill, bundle, checks, packages, trials
from tests.dist.commands import CommandFailed
from tests.dist.packages import ROOT

from citemark import __version__

DIST = ROOT / ".build" / "dist"


def main(words: list[str]) -> int:
    """Make, or try what was made."""
    match words:
        case []:
            return _attempt(make)
        case ["try"]:
            return trials.run(DIST, __version__)
        case _:
            return _told([f"tests.dist takes no word, or the word try; not {' '.join(words)}"])


def make() -> int:
    """Build and check; what fails stays in .build/dist to be looked at, and the exit code says so."""
    with tempfile.TemporaryDirectory(prefix="citemark-dist-") as folder:
        scratch = Path(folder)
        first, second = scratch / "first", scratch / "second"
        first.mkdir()
        second.mkdir()
        _say("building the packages")
        tree = packages.snapshot(scratch / "tree")
        packages.build(tree, first)
        _say("building them again, from other copies and from the source archives")
        other = packages.snapshot(scratch / "elsewhere" / "tree")
        packages.build_again(other, scratch / "unpacked", second)
        _say("listing what an install consists of")
        for number, (source, into) in enumerate(((tree, first), (other, second))):
            bundle.pack(source, into)
            bill.write(bill.environment(scratch / f"installed-{number}", into), into)
        _say("checking")
        problems = checks.differences(first, second, __version__)
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(first, DIST)
    problems += checks.contents(DIST) + checks.complaints(DIST)
    for path in sorted(DIST.iterdir()):
        _say(f"{path.stat().st_size:>12,}  {path.name}")
    return _told(problems)


def _attempt(work: Callable[[], int]) -> int:
    try:
        return work()
    except CommandFailed as failure:
        return _told([str(failure)])


def _told(problems: list[str]) -> int:
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    return 1 if problems else 0


def _say(words: str) -> None:
    print(words, flush=True)  # noqa: T201 - the report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
