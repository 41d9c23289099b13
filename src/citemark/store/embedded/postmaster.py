"""The running server as the system shows it: its pid file, its processes, its end."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PID_LINE, _PORT_LINE, _SOCKETS_LINE, _STATUS_LINE = 0, 3, 4, 7


@dataclass(frozen=True, slots=True)
class PidFile:
    """What postmaster.pid says; `status` is "starting", "ready", "stopping" or empty."""

    pid: int
    port: int | None
    sockets: Path | None
    status: str


def read_pid_file(cluster: Path) -> PidFile | None:
    """The pid file of a cluster; None without a usable one. It proves nothing: see `is_server_of`."""
    try:
        lines = (cluster / "postmaster.pid").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        pid = int(lines[_PID_LINE])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    lines += [""] * (_STATUS_LINE + 1 - len(lines))
    port, sockets = lines[_PORT_LINE].strip(), lines[_SOCKETS_LINE].strip()
    return PidFile(
        pid,
        int(port) if port.isdigit() else None,
        Path(sockets) if sockets else None,
        lines[_STATUS_LINE].strip(),
    )


def is_server_of(pid: int, cluster: Path) -> bool:
    """Whether a process is a PostgreSQL that works in `cluster`: a pid alone may be another program's by now."""
    if pid <= 0:
        return False
    if sys.platform.startswith("linux"):
        return _works_in(Path("/proc") / str(pid), cluster)
    listed = subprocess.run(
        ["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return "postgres" in listed and str(cluster) in listed


def server_processes(cluster: Path) -> list[int]:
    """Pids of every PostgreSQL process that works in `cluster`; only Linux can tell."""
    if not sys.platform.startswith("linux"):
        return []
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit() and _works_in(each, cluster)]


def send(pid: int, what: signal.Signals) -> None:
    """Signal a process that may be gone already."""
    with suppress(ProcessLookupError):
        os.kill(pid, what)


def _works_in(process: Path, cluster: Path) -> bool:
    try:
        program = (process / "exe").readlink().name.removesuffix(" (deleted)")
        return program == "postgres" and (process / "cwd").readlink() == cluster
    except OSError:  # gone, a zombie, or somebody else's
        return False
