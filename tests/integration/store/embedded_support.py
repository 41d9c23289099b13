"""What the tests of the embedded server share: folders, other processes, waiting."""

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.patience import HANG_SECONDS

import citemark
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.postmaster import read_pid_file, send, server_processes

USER_PROGRAM = Path(__file__).with_name("embedded_user.py")
IS_ROOT = os.geteuid() == 0


def until(condition: Callable[[], bool], what: str, seconds: float = HANG_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.01)


def unprivileged() -> dict[str, Any]:
    """Options of Popen for a process that is not root."""
    if not IS_ROOT:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


@dataclass
class User:
    """Another process that uses the server of `data_dir`."""

    data_dir: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])
    as_nobody: bool = False

    def __post_init__(self) -> None:
        source = str(Path(citemark.__file__).parents[1])
        nobody = unprivileged() if self.as_nobody else {}
        identity = [str(nobody["user"]), str(nobody["group"])] if nobody else []
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(USER_PROGRAM), str(self.data_dir), *identity],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            env=os.environ | {"PYTHONPATH": source} | self.environment,
        )

    def send(self, word: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def ask(self, word: str) -> dict[str, Any]:
        self.send(word)
        return self.answer()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> None:
        """End it (closing its input makes it leave without a release)."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
        self.process.wait(HANG_SECONDS)


def copy_of(data_dir: Path, target: Path) -> Path:
    """A second data folder with a copy of a stopped cluster, owners and modes included."""
    subprocess.run(["/bin/cp", "-a", str(data_dir), str(target)], check=True)
    return target


def server_pid(data_dir: Path) -> int:
    found = read_pid_file(DataFolder(data_dir.resolve()).cluster)
    assert found is not None
    return found.pid


def server_is_gone(data_dir: Path) -> bool:
    return not EmbeddedPostgres(data_dir).status().running


def clean_up(folder: Path) -> None:
    """End every server below `folder` and delete it."""
    for password in folder.rglob("postgres/password"):
        layout = DataFolder(password.parent.parent.resolve())
        for pid in server_processes(layout.cluster):
            send(pid, signal.SIGQUIT)
        until(lambda layout=layout: not server_processes(layout.cluster), "the servers of the test end")
    shutil.rmtree(folder, ignore_errors=True)
