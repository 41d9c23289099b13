"""`make ci-under-load`: `.ci/run` several times beside two processes that keep the processor busy.

Runs with the standard library alone, because `.ci/run` makes the environment anew. A word says how many times, five by
default. Exit code 1 when a run was not green.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BUSY = 2
_SHOWN = 60
"""Lines of a run that failed."""


def main(times: int) -> int:
    """Run, and print a line for each run."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(_BUSY)]
    failed = 0
    try:
        for number in range(1, times + 1):
            began = time.monotonic()
            ran = subprocess.run(
                ["bash", ".ci/run"],
                cwd=ROOT,
                env={**os.environ, "CI": "true"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            failed += ran.returncode != 0
            said = "green" if ran.returncode == 0 else f"exit code {ran.returncode}"
            took = (time.monotonic() - began) / 60
            sys.stdout.write(f"run {number} of {times} beside {_BUSY} busy processes: {said}, {took:.1f} minutes\n")
            if ran.returncode:
                sys.stdout.write("\n".join(ran.stdout.splitlines()[-_SHOWN:]) + "\n")
            sys.stdout.flush()
    finally:
        for process in busy:
            process.kill()
            process.wait()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
