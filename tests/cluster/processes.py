"""Programs that run beside each other for a while, of which none is left afterwards."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import psutil
from tests.support.postgres import reachable_folder

_PR_SET_CHILD_SUBREAPER = 36
_POLITE_SECONDS = 15.0
"""Seconds for which programs that were told to end may take to do so."""


@dataclass(frozen=True, slots=True)
class Account:
    """Whom programs run as that refuse root; `switched` where that is another one than who runs this."""

    uid: int
    gid: int
    switched: bool

    @classmethod
    def unprivileged(cls) -> "Account":
        """`nobody` for root, since initdb wants an account with a name; else who runs this."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid(), switched=False)
        entry = pwd.getpwnam("nobody")
        return cls(entry.pw_uid, entry.pw_gid, switched=True)

    def own(self, paths: Iterable[Path]) -> None:
        """Give files and folders to it."""
        if self.switched:
            for path in paths:
                os.chown(path, self.uid, self.gid)


@dataclass(slots=True)
class Running:
    """A place in which programs run.

    Attributes:
        folder: for all that they write; it is removed afterwards.
        account: whom those run as that refuse root.
        programs: the programs that were started, by name.
    """

    folder: Path
    account: Account
    programs: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict[str, "subprocess.Popen[bytes]"])

    def folder_of(self, name: str) -> Path:
        """A new private folder of the account."""
        made = self.folder / name
        made.mkdir(mode=0o700)
        self.account.own([made])
        return made

    def start(self, name: str, *command: str | Path, env: Mapping[str, str], as_account: bool = True) -> None:
        """Start a program, whose output goes to the log of its name."""
        switched = as_account and self.account.switched
        with self.log(name).open("ab") as log:
            self.programs[name] = subprocess.Popen(
                [str(each) for each in command],
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **env},
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=self.account.uid if switched else None,
                group=self.account.gid if switched else None,
                extra_groups=[] if switched else None,
            )

    def process(self, name: str) -> psutil.Process:
        """A program that runs."""
        return psutil.Process(self.programs[name].pid)

    def end(self, name: str) -> None:
        """Tell a program to end, and wait until it has."""
        self.programs[name].terminate()
        self.programs[name].wait()

    def log(self, name: str) -> Path:
        """What a program says."""
        return self.folder / f"{name}.log"

    def ends_of_logs(self, lines: int = 8) -> str:
        """What each program said last."""
        said = ((log.stem, log.read_text("utf-8", "replace").splitlines()) for log in sorted(self.folder.glob("*.log")))
        return "\n".join(f"--- {name}\n" + "\n".join(text[-lines:]) for name, text in said)


@contextmanager
def running() -> Generator[Running]:
    """A place in which programs run. Whatever they started ends with them, in whichever session it is.

    This process is told to end by SIGTERM as by Ctrl-C, so that it ends them then, too.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans become children of this process
    before = set(psutil.Process().children())
    former = signal.signal(signal.SIGTERM, _interrupt)
    folder = reachable_folder()
    try:
        yield Running(folder, Account.unprivileged())
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end([each for each in psutil.Process().children() if each not in before])
        shutil.rmtree(folder, ignore_errors=True)
        signal.signal(signal.SIGTERM, former)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def kill(processes: Iterable[psutil.Process]) -> None:
    """Kill processes and all that they have started, as if their machine had lost its power."""
    everyone = list(processes)
    for process in everyone[:]:
        try:
            everyone += process.children(recursive=True)
        except psutil.NoSuchProcess:
            continue
    for process in everyone:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(everyone, timeout=_POLITE_SECONDS)


def _end(processes: list[psutil.Process]) -> None:
    """Tell processes to end, then kill what is left; what is orphaned by that comes to this process and ends, too."""
    for process in processes:
        try:
            process.terminate()
        except psutil.NoSuchProcess:
            continue
    _, left = psutil.wait_procs(processes, timeout=_POLITE_SECONDS)
    kill(left)
