"""`make ci-under-load`: `.ci/run` several times beside processes that keep the processor busy.

Runs with the standard library alone, because `.ci/run` makes the environment anew. Two words say how many times and how
many processes. What a run prints is kept in `.build/ci-under-load-N.log`. Exit code 1 when a run was not green. Beside
no busy process a run must not take more than 20 minutes on two cores: `make ci-under-load RUNS=1 BUSY=0`.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
_MOST_MINUTES = 20.0
"""What a run may take that nothing disturbs."""

_SHOWN = 60
"""Lines of a run that failed."""

_LOGS = ROOT / ".build"


def main(times: int, beside: int) -> int:
    """Run, and print a line for each run."""
    signal.signal(signal.SIGTERM, _end)  # the busy processes end with this one
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(beside)]
    _LOGS.mkdir(exist_ok=True)
    failed = 0
    try:
        for number in range(1, times + 1):
            log = _LOGS / f"ci-under-load-{number}.log"
            began = time.monotonic()
            code = _run(log)
            took = (time.monotonic() - began) / 60
            failed += code != 0 or (beside == 0 and took > _MOST_MINUTES)
            said = "green" if code == 0 else f"exit code {code}"
            sys.stdout.write(f"run {number} of {times} beside {beside} busy processes: {said}, {took:.1f} minutes\n")
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


def _run(log: Path) -> int:
    """The exit code of one `.ci/run`, whose output goes to a file."""
    with log.open("wb") as output:
        return subprocess.run(
            ["bash", ".ci/run"],
            cwd=ROOT,
            env={**os.environ, "CI": "true"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode


if __name__ == "__main__":
    told = argparse.ArgumentParser(prog="make ci-under-load")
    told.add_argument("runs", type=int, nargs="?", default=5)
    told.add_argument("busy", type=int, nargs="?", default=2)
    given = told.parse_args()
    sys.exit(main(given.runs, given.busy))
