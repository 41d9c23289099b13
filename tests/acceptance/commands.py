"""Runs commands of `citemark` for tests that are not about its start: forked from a process that has loaded it."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
CITEMARK = str(Path(sys.executable).with_name("citemark"))

PATIENT = {"CITEMARK_VERIFY_TIMEOUT": "60"}
"""The two seconds of a page's access check are for people who wait, not for machines that run four tests at a time."""

_LOADING = 60.0
"""Seconds within which a command is begun, the time of loading included."""


class Commands:
    """Commands one after the other. Use as a context manager."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(ROOT / "tests/acceptance/preloaded.py"), str(theirs.fileno())],
            env={**kept, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
            pass_fds=[theirs.fileno()],
            cwd=ROOT,
        )
        theirs.close()

    def close(self) -> None:
        """End the process that forks."""
        self._channel.close()
        self._process.wait(_LOADING)

    def run(
        self,
        *arguments: str,
        env: Mapping[str, str],
        cwd: Path = ROOT,
        told: str | None = None,
        timeout: float = 120,
        check: bool = False,
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command as `subprocess.run` does.

        Args:
            arguments: what follows `citemark`.
            env: its environment; an access check may take as long as a busy machine needs, unless it says otherwise.
            cwd: the folder it runs in.
            told: its standard input.
            timeout: seconds after which it is killed and the test fails.
            check: whether an exit code other than 0 fails the test.
        """
        words = [CITEMARK, *arguments]
        command = {"words": words, "environment": {**PATIENT, **env}, "folder": str(cwd)}
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
            given.write((told or "").encode())
            given.seek(0)
            streams = [given.fileno(), out.fileno(), said.fileno()]
            socket.send_fds(self._channel, [json.dumps(command).encode()], streams)
            code = self._exit_code(timeout)
            printed = [_read(file) for file in (out, said)]
        done = subprocess.CompletedProcess(words, code, *printed)
        if check:
            assert code == 0, done
        return done

    def _exit_code(self, timeout: float) -> int:
        self._channel.settimeout(_LOADING)
        pid = int(self._channel.recv(64))
        self._channel.settimeout(timeout)
        try:
            return int(self._channel.recv(64))
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self._channel.settimeout(_LOADING)
            self._channel.recv(64)
            raise


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
