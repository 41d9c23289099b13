"""`make ci-under-load`: `.ci/run` several times beside processes that keep the processor busy.

Runs with the standard library alone, because `.ci/run` makes the environment anew. Two words say how many times and how
many processes. What a run prints is kept in `.build/ci-under-load-N.log`. Exit code 1 when a run was not green. Beside
no busy process (`make ci-under-load RUNS=1 BUSY=0`) the unit suite is run last, and the exit code is also 1 when a run
took more than 20 minutes, or the unit suite more than one.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
_CI = (["bash", ".ci/run"], 20.0)
_UNIT_SUITE = ([".venv/bin/python", "-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "tests/unit"], 1.0)
"""Commands, and the minutes that each may take on two cores where nothing disturbs it."""

_SHOWN = 60
"""Lines of a run that failed."""

_LOGS = ROOT / ".build"


def main(times: int, beside: int) -> int:
    """Run, and print a line for each run."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)  # what was started ends with this process
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(beside)]
    _LOGS.mkdir(exist_ok=True)
    failed = 0
    try:
        for number, (command, most) in enumerate([_CI] * times + [_UNIT_SUITE] * (beside == 0), 1):
            log = _LOGS / f"ci-under-load-{number}.log"
            began = time.monotonic()
            code = _run(command, log)
            took = (time.monotonic() - began) / 60
            too_long = beside == 0 and took > most
            failed += code != 0 or too_long
            said = f"exit code {code}" if code else f"green, but longer than {most:g}" if too_long else "green"
            name = f"run {number} of {times}" if number <= times else "the unit suite"
            sys.stdout.write(f"{name} beside {beside} busy processes: {said}, {took:.1f} minutes\n")
            if code:
                sys.stdout.write("\n".join(log.read_text("utf-8", "replace").splitlines()[-_SHOWN:]) + "\n")
            sys.stdout.flush()
    finally:
        for process in busy:
            process.kill()
            process.wait()
    return 1 if failed else 0


def _end(_number: int, _frame: object) -> NoReturn:
    sys.exit(1)


def _run(command: list[str], log: Path) -> int:
    """The exit code of a command, whose output goes to a file."""
    with log.open("wb") as output:
        run = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "CI": "true"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return run.wait()
        finally:
            with suppress(ProcessLookupError):  # told to end, it ends pytest and its workers as well
                os.killpg(run.pid, signal.SIGTERM)


if __name__ == "__main__":
    told = argparse.ArgumentParser(prog="make ci-under-load")
    told.add_argument("runs", type=int, nargs="?", default=5)
    told.add_argument("busy", type=int, nargs="?", default=2)
    given = told.parse_args()
    sys.exit(main(given.runs, given.busy))
