"""`make clauses`: break fifty clauses of the manifest, one at a time, and see the tests that they name turn red.

The sample is drawn by a seed over all met clauses, and a clause with a patch stays in it. First the tests of the
whole sample are run on the source as it is: what fails then is no proof. Then each patch is applied to a copy of the
repository, the tests of its clause are run there, and one of them must fail. Exit code 1 where a drawn clause has no
patch, a patch no longer applies, or all tests of a clause stay green. With words on the command line only the clauses
that they name are broken; `draw` shows the sample.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.clauses.breaks import Break, NoLongerApplies, breaks, passed_over
from tests.clauses.runs import Copy, copy_of_the_repository, proofs_of
from tests.clauses.sample import drawn, stratum
from tests.requirements import REQUIREMENTS
from tests.requirements_data.form import Requirement
from tests.requirements_data.marks import Mark, marks_under

_COPIES = 2
"""Two cores; each run has a PostgreSQL of its own."""


def broken(copy: Copy, patch: Break, tests: Sequence[str]) -> tuple[bool, str]:
    """Whether a test turned red, and the line to print."""
    began = time.monotonic()
    try:
        with copy.broken(patch):
            ran = copy.run(tests, "-x", "-n0")
    except NoLongerApplies as refused:
        return False, f"STALE  {refused}"
    took = f"{time.monotonic() - began:.0f} s"
    if ran.red is not None:
        return True, f"red    {patch.clause}  {ran.red}  {took}"
    if ran.passed:
        return False, f"GREEN  {patch.clause}  {', '.join(tests)}  {took}"
    return False, f"ERROR  {patch.clause}  {took}\n{ran.output}"


def outcomes(
    chosen: Sequence[tuple[Requirement, Break]], marks: Sequence[Mark], copies: Sequence[Copy]
) -> Iterator[tuple[bool, str]]:
    """Break one clause after the other, in as many copies at a time as there are."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(pair: tuple[Requirement, Break]) -> tuple[bool, str]:
        copy = free.get()
        try:
            return broken(copy, pair[1], proofs_of(pair[0], marks))
        finally:
            free.put(copy)

    with ThreadPoolExecutor(len(copies)) as workers:
        yield from workers.map(one, chosen)


def main(words: Sequence[str]) -> int:
    """Print a line for each clause; the number of those that no test holds decides the exit code."""
    say = sys.stdout.write
    patches = {patch.clause: patch for patch in breaks()}
    sample = drawn(REQUIREMENTS, passed_over(), patches)
    if words == ["draw"]:
        for clause in sample:
            say(f"{stratum(clause):10} {clause.id:32} {clause.clause}\n")
        return 0
    marks = marks_under(Path(__file__).resolve().parents[1])
    wanted = [clause for clause in REQUIREMENTS if clause.id in words] if words else sample
    missing = [clause.id for clause in wanted if clause.id not in patches]
    chosen = [(clause, patches[clause.id]) for clause in wanted if clause.id in patches]
    red = 0
    with copy_of_the_repository() as first, copy_of_the_repository() as second:
        copies = [first, second][:_COPIES]
        every = list(dict.fromkeys(test for clause, _ in chosen for test in proofs_of(clause, marks)))
        before = first.run(every, f"-n{len(copies)}", "--dist=loadfile")
        if not before.passed:
            # On a busy machine a deadline may pass by itself: what failed is run once more, alone.
            before = first.run(every, "-n0", "--last-failed", "--last-failed-no-failures=none")
        if not before.passed:
            say(f"the tests fail before anything is broken\n{before.output}\n")
            return 1
        for held, line in outcomes(chosen, marks, copies):
            red += held
            say(line + "\n")
            sys.stdout.flush()
    for ident in missing:
        say(f"NONE   {ident}  is drawn and has no patch in tests/requirements_data/breaks.toml\n")
    say(f"{red} of {len(wanted)} clauses turn a test red when they are broken\n")
    return 0 if red == len(wanted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
