"""`make mutants`: what a seeded sample of changes to the code does to the tests that cover it.

The outcomes are kept in .build/mutants/outcomes.json, so that a run goes on where the last one stopped: a mutant is
tried again when its module changed, and one that survived when any test did.
"""

import argparse
import fcntl
import json
import queue
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from time import monotonic
from typing import Any

from tests.mutants.attempts import Outcome, Workplace, chosen
from tests.mutants.coverage_map import CoverageMap, recorded, tests_state
from tests.mutants.equivalents import EQUIVALENTS
from tests.mutants.mutations import Mutant, sampled
from tests.mutants.page import PAGE, page, table
from tests.mutants.rooms import FOLDER, ROOMS, SOURCE, files_of, say

_OUTCOMES = FOLDER / "outcomes.json"


def sample(room: str, seed: str, size: int) -> list[Mutant]:
    """The same mutants of a room as long as their places stay."""
    candidates = {
        key: candidate
        for path in files_of(room)
        for key, candidate in sampled(str(path.relative_to(SOURCE)), path.read_text(), seed).items()
    }
    taken: list[Mutant] = []
    for key in sorted(candidates):
        if len(taken) == size:
            break
        if (mutant := candidates[key].mutant(key)) is not None:
            taken.append(mutant)
    return taken


class Run:
    """Outcomes so far, and those still to come."""

    def __init__(self, mutants: Mapping[str, Sequence[Mutant]], covered: CoverageMap, minutes: float) -> None:
        self._covered = covered
        self._until = monotonic() + 60 * minutes
        self._tests = tests_state()
        self._lock = threading.Lock()
        self.outcomes: dict[str, dict[str, Any]] = json.loads(_OUTCOMES.read_text()) if _OUTCOMES.exists() else {}
        self._mutants = mutants
        self._sources = {each.path: (SOURCE / each.path).read_text() for those in mutants.values() for each in those}
        self._queue: queue.SimpleQueue[tuple[str, Mutant]] = queue.SimpleQueue()
        for each in self.waiting():
            self._queue.put(each)

    def waiting(self) -> list[tuple[str, Mutant]]:
        """Those without an outcome that holds for the code and tests of now, with their rooms."""
        return [(room, each) for room, those in self._mutants.items() for each in those if not self._is_known(each)]

    def stop(self, *_: object) -> None:
        """Try no further mutant."""
        self._until = 0.0

    def work(self, number: int) -> None:
        """Try mutants until none is left, or no time."""
        with Workplace.opened(number) as place:
            while monotonic() < self._until:
                try:
                    room, mutant = self._queue.get_nowait()
                except queue.Empty:
                    return
                tests = chosen(self._covered.covering(mutant, self._sources[mutant.path]), mutant.path)
                self.note(room, mutant, place.attempt(mutant, tests))

    def note(self, room: str, mutant: Mutant, outcome: Outcome) -> None:
        """Keep an outcome at once."""
        with self._lock:
            self.outcomes[mutant.ident] = {
                **asdict(outcome),
                "module": self._digest(mutant),
                "tests": self._tests,
                "room": room,
                "change": f"{mutant.path} {mutant.scope}: {mutant.before!r} -> {mutant.after!r}",
            }
            _OUTCOMES.write_text(json.dumps(self.outcomes, indent=1))
            say(f"{outcome.state:9} {outcome.seconds:5} s  {mutant.path}:{mutant.first_line} {mutant.ident}")

    def _is_known(self, mutant: Mutant) -> bool:
        known = self.outcomes.get(mutant.ident)
        if known is None or known["module"] != self._digest(mutant):
            return False
        return known["state"] in {"killed", "slow"} or known["tests"] == self._tests or mutant.ident in EQUIVALENTS

    def _digest(self, mutant: Mutant) -> str:
        return sha256(self._sources[mutant.path].encode()).hexdigest()[:12]


def _try_all(run: Run, workers: int) -> None:
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the copies of the code are shared by all runs of this checkout
        for told in (signal.SIGINT, signal.SIGTERM):
            signal.signal(told, run.stop)
        threads = [threading.Thread(target=run.work, args=(number,)) for number in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main() -> int:
    """Try the sample, print the scores and the survivors; exit code 1 when a room is below the bar."""
    asked = argparse.ArgumentParser(prog="make mutants")
    asked.add_argument("--seed", default="citemark", help="another seed draws another sample")
    asked.add_argument("--per-room", type=int, default=80)
    asked.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=list(ROOMS))
    asked.add_argument("--workers", type=int, default=2)
    asked.add_argument("--minutes", type=float, default=60.0, help="after these, none is tried; 0 only reports")
    asked.add_argument("--only", nargs="*", default=[], help="mutants by their id")
    asked.add_argument("--as-recorded", action="store_true", help="do not record tests that changed again")
    asked.add_argument("--show", action="store_true", help="only list the sample")
    asked.add_argument("--write", action="store_true", help=f"write {PAGE.name} too")
    given = asked.parse_args()
    mutants = {room: sample(room, given.seed, given.per_room) for room in given.rooms}
    if given.only:
        mutants = {room: [each for each in those if each.ident in given.only] for room, those in mutants.items()}
    if given.show:
        for room, those in mutants.items():
            for each in those:
                say(f"{room} {each.ident} {each.path}:{each.first_line} {each.before!r} -> {each.after!r}")
        return 0
    run = Run(mutants, recorded(given.workers, as_it_is=given.as_recorded), given.minutes)
    say(f"{len(run.waiting())} mutants to try")
    if given.minutes > 0:
        _try_all(run, given.workers)
    tried = {room: [(each, run.outcomes.get(each.ident)) for each in those] for room, those in mutants.items()}
    rows, enough = table(tried)
    say(rows)
    if given.write:
        PAGE.write_text(page(tried, given.seed, datetime.now().astimezone().date()))
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
