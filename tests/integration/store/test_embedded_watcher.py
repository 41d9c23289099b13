"""A server whose users were all killed ends, and so does whoever looks after it."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.integration.store.embedded_support import User, server_is_gone, until
from tests.support.patience import HANG_SECONDS

from citemark.store.embedded import postgres, server_account, server_watcher
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.postmaster import server_processes

NewUser = Callable[..., User]


def watcher_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def watched(tmp_path: Path) -> Generator["subprocess.Popen[bytes]"]:
    """A watcher that looks twenty times a second, over a process that stands for a server; its pid is in a file."""
    (tmp_path / "users.lock").touch()
    pid = tmp_path / "pid"
    order = {
        "seconds": 0.05,
        "command": ["/bin/sh", "-c", f"echo $$ > {pid}.new && mv {pid}.new {pid} && exec sleep 600"],
        "environment": {"PATH": "/usr/bin:/bin"},
        "uid": None,
        "gid": os.getgid(),
        "inherits": [],
        "users_lock": str(tmp_path / "users.lock"),
        "stop": ["/bin/sh", "-c", f"kill -9 $(cat {pid})"],
    }
    command = [sys.executable, "-I", "-S", server_watcher.__file__, json.dumps(order)]
    with (tmp_path / "users.lock").open("rb") as user:
        fcntl.flock(user, fcntl.LOCK_SH)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            until(pid.exists, "the server has started")
            assert process.poll() is None
            yield process
            process.kill()


@pytest.mark.requirement("nothing-left-after-kill")
@pytest.mark.parametrize("how", ["nobody uses it", "its folder is gone"])
def test_a_server_without_users_is_stopped_and_its_watcher_ends(
    watched: "subprocess.Popen[bytes]", tmp_path: Path, how: str
) -> None:
    pid, lock = int((tmp_path / "pid").read_text()), tmp_path / "users.lock"
    assert lives(pid)
    if how == "nobody uses it":
        lock.rename(tmp_path / "held")  # the lock of the fixture stays with the file that it was taken on
        lock.touch()
    else:
        lock.unlink()
    assert watched.wait(HANG_SECONDS) == 0
    assert not lives(pid)


@pytest.mark.requirement("nothing-left-after-kill")
def test_the_looks_for_users_and_the_longest_shutdown_take_a_minute_at_most() -> None:
    looks = server_watcher._LOOKS * server_account._WATCH_SECONDS  # pyright: ignore[reportPrivateUsage]
    assert looks + postgres._STOP_TIMEOUT <= 60  # pyright: ignore[reportPrivateUsage]


@pytest.mark.requirement("nothing-left-after-kill")
def test_a_server_whose_users_and_watcher_were_killed_ends(data_dir: Path, new_user: NewUser) -> None:
    user = new_user(data_dir)
    looking = watcher_of(user.ask("acquire")["pid"])
    assert b"server_watcher.py" in Path(f"/proc/{looking}/cmdline").read_bytes()
    names = {entry.partition(b"=")[0] for entry in Path(f"/proc/{looking}/environ").read_bytes().split(b"\0")}
    assert not any(name.startswith(b"CITEMARK") for name in names)
    os.kill(looking, signal.SIGKILL)
    user.kill()
    until(lambda: server_is_gone(data_dir), "the server has shut down")
    assert server_processes(DataFolder(data_dir.resolve()).cluster) == []


def test_a_server_ends_its_watcher(data_dir: Path, new_user: NewUser) -> None:
    user = new_user(data_dir)
    looking = watcher_of(user.ask("acquire")["pid"])
    user.ask("release")
    until(lambda: not lives(looking), "the watcher has ended")
