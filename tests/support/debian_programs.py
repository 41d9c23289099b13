"""Programs of Debian that tests run beside Citemark; `make` unpacks them below `.build/debian` (Makefile)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_UNPACKED = Path(__file__).resolve().parents[2] / ".build" / "debian"
_PATHS = os.pathsep.join(("/usr/sbin", "/usr/bin", str(_UNPACKED / "usr/sbin"), str(_UNPACKED / "usr/bin")))


def started(name: str, *arguments: str, folder: Path, owner: tuple[int, int], log: Path) -> "subprocess.Popen[bytes]":
    """Start a program, installed or unpacked; where there is none, the test is skipped in one line.

    Args:
        name: the program.
        arguments: what it is started with.
        folder: where a copy of it goes, since another account may not pass the folder of the project.
        owner: uid and gid that root starts it as; any other account starts it as itself.
        log: a file for what it says.
    """
    path = shutil.which(name, path=_PATHS)
    if path is None:
        pytest.skip(f"{name} is not installed (make .build/.debian unpacks it where there is apt)")
    libraries = folder / "libraries"
    libraries.mkdir(exist_ok=True)
    for each in _UNPACKED.glob("usr/lib/*/lib*.so.*"):
        shutil.copy(each, libraries)
    uid, gid = owner
    with log.open("wb") as output:
        return subprocess.Popen(
            [shutil.copy(path, folder), *arguments],
            env={"PATH": "/usr/bin:/bin", "LANG": "C", "LD_LIBRARY_PATH": str(libraries)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            user=uid if os.geteuid() == 0 else None,
            group=gid if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
        )
