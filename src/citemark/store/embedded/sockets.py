"""The folder of the server's socket, whose path the system limits to about a hundred bytes."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from citemark.store.embedded.account import Account
from citemark.store.embedded.config import PORT
from citemark.store.embedded.files import make_folder
from citemark.store.embedded.layout import Layout

_LONGEST = 103  # bytes of a socket's path on the strictest system (macOS; Linux has 107)
_SPECIAL = frozenset(",\"'\\\n")  # characters that lists of folders and hosts give a meaning


def socket_file(folder: Path) -> Path:
    """The socket inside its folder."""
    return folder / f".s.PGSQL.{PORT}"


def socket_folder(layout: Layout, account: Account) -> Path:
    """An empty private folder for the socket: in the data folder, or a short one elsewhere where the path is too long.

    A short folder is used again only if nobody but the account can have put anything there.
    """
    if _fits(layout.run):
        make_folder(layout.run, uid=account.uid, gid=account.gid, mode=0o700)
        folder = layout.run
    else:
        folder = _short_folder(layout, account)
    for stale in folder.glob(".s.PGSQL.*"):
        stale.unlink(missing_ok=True)
    return folder


def _fits(folder: Path) -> bool:
    path = str(socket_file(folder))
    return len(os.fsencode(path)) <= _LONGEST and not _SPECIAL.intersection(path)


def _short_folder(layout: Layout, account: Account) -> Path:
    digest = hashlib.sha256(os.fsencode(layout.data_dir)).hexdigest()[:16]
    base = _short_base(account)
    folder = base / f"citemark-{account.uid}-{digest}"
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not _private(folder, account):
            folder = Path(tempfile.mkdtemp(prefix="citemark-", dir=base))
    if account.switched:
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
    return folder


def _short_base(account: Account) -> Path:
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/nonexistent")
    if not account.switched and _fits(runtime / ("x" * 40)) and runtime.is_absolute() and _private(runtime, account):
        return runtime
    return Path("/tmp")  # noqa: S108 - the folder inside is created exclusively or verified


def _private(folder: Path, account: Account) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == account.uid and not stat.S_IMODE(found.st_mode) & 0o077
