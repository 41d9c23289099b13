"""What a parsing process gives up before it reads a stranger's bytes: root, the network, and any way to get more."""

import contextlib
import ctypes
import os
import pwd
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

_NUMBERS = (64_866, 65_534)
"""Of the account that root becomes: one that no account of the system has and the database's server neither (see
`store.embedded.account`), or `nobody` where a container has no such number."""

_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWNET = 0x40000000
_CLONE_NEWUSER = 0x10000000


def give_up_privileges() -> None:
    """Keep what parsing takes. What a system does not let go of stays, so that files can be read there at all."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    with contextlib.suppress(AttributeError):
        # A user who is not root may leave the network only together with the users of the system.
        libc.unshare(_CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWNET | _CLONE_NEWUSER)
    if os.geteuid() == 0:
        _keep_modules_in_reach()
        _drop_root()
    with contextlib.suppress(AttributeError):
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _drop_root() -> None:
    for number in _NUMBERS:
        if number == _NUMBERS[0] and _is_taken(number):
            continue
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setgid(number)
            os.setuid(number)
            return


def _is_taken(number: int) -> bool:
    try:
        pwd.getpwuid(number)
    except KeyError:
        return False
    return True


def _keep_modules_in_reach() -> None:
    """Let folders of modules be found by descriptors where other accounts cannot pass the folders above them.

    Root's Python may lie in root's home. A descriptor leads to its folder past all that is above it.
    """
    places: dict[str, str] = {}
    for entry in sys.path:
        folder = Path(entry)
        if entry and folder.is_dir() and not _is_open(folder):
            places[str(folder)] = f"/proc/self/fd/{os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)}"
    if not places:
        return
    sys.path[:] = _moved(sys.path, places)
    for module in list(sys.modules.values()):
        _move(module, places)
    sys.path_importer_cache.clear()


def _is_open(folder: Path) -> bool:
    """Whether every account can pass all folders down to this one."""
    resolved = folder.resolve()
    return all(place.stat().st_mode & 0o001 for place in (resolved, *resolved.parents))


def _move(module: ModuleType, places: dict[str, str]) -> None:
    """Look for the parts of a package where they can be found."""
    with contextlib.suppress(AttributeError, TypeError):
        moved = _moved(module.__path__, places)
        if moved != list(module.__path__):
            module.__path__ = moved


def _moved(paths: Iterable[str], places: dict[str, str]) -> list[str]:
    found: list[str] = []
    for path in paths:
        above = next((place for place in places if path == place or path.startswith(place + os.sep)), None)
        found.append(path if above is None else places[above] + path[len(above) :])
    return found
