"""The account that the server runs under: this process's own or, for root, one that has nothing else."""

import json
import os
import pwd
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.store.embedded.data_folder import DataFolder

_OWN_NAME = "citemark"
_OWN_NUMBER = 64_867
_LAST_NUMBER = 65_520
"""Numbers above those that systems assign to people and programs, and below 65,534, where containers end."""

_SECONDS = 300.0
"""The time limit of a PostgreSQL program: creating a cluster takes seconds, or a minute on a slow disk."""

_ENVIRONMENT: Mapping[str, str] = MappingProxyType({"PATH": "/usr/bin:/bin", "LANG": "C", "HOME": "/"})

_IN_BACKGROUND = ("/bin/sh", "-c", '"$@" &', "sh")
_WATCH_SECONDS = 10.0
"""Between two looks for users: after two without any the server is stopped, well within a minute."""

_WATCHER = Path(__file__).with_name("server_watcher.py")
_HANDED_TO_WATCHER = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
"""What Python needs to be started from there; keys and passwords are not among it."""


@dataclass(frozen=True, slots=True)
class ServerAccount:
    """User and group of the server; `switched` is true if they differ from this process's."""

    uid: int
    gid: int
    switched: bool

    def can(self, *checks: tuple[str, Path]) -> bool:
        """Whether this account passes every check: a flag of test(1) ("-x", "-r") and a path.

        Raises:
            BackendUnavailable: they could not be made.
        """
        if not self.switched:
            modes = {"-x": os.X_OK, "-r": os.R_OK}
            return all(os.access(path, modes[flag]) for flag, path in checks)
        script = " && ".join(f'test {flag} "${index}"' for index, (flag, _) in enumerate(checks, 1))
        ended = self.run(["/bin/sh", "-c", script, "sh", *(str(path) for _, path in checks)])
        if ended.returncode not in (0, 1):  # neither yes nor no
            raise BackendUnavailable(f"/bin/sh ended with {ended.returncode}: {ended.stdout.strip()[:200]}")
        return ended.returncode == 0

    def run(self, command: list[str], *, keep: tuple[int, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Run a command to its end as this account, inheriting nothing from this process but the `keep` descriptors."""
        return self._run(command, output=subprocess.PIPE, keep=keep)

    def spawn(self, command: list[str], *, layout: DataFolder, output: int, keep: tuple[int, ...]) -> None:
        """Start the server below a watcher that ends it when nobody is left who uses the folder.

        Both outlive this process: a new session, no terminal, none of our pipes, no zombie. A process that has given up
        the right to start its own Python starts the server alone.
        """
        if not (os.access(sys.executable, os.X_OK) and os.access(_WATCHER, os.R_OK)):
            self._run([*_IN_BACKGROUND, *command], output=output, keep=keep)
            return
        order = {
            "seconds": _WATCH_SECONDS,
            "command": command,
            "environment": dict(_ENVIRONMENT),
            "uid": self.uid if self.switched else None,
            "gid": self.gid,
            "inherits": keep,
            "users_lock": str(layout.users_lock),
            "stop": [sys.executable, "-P", "-m", "citemark.store.embedded", str(layout.data_dir)],
        }
        watched = [sys.executable, "-I", "-S", str(_WATCHER), json.dumps(order)]
        kept = {name: os.environ[name] for name in _HANDED_TO_WATCHER if name in os.environ}
        own = replace(self, switched=False)
        own._run([*_IN_BACKGROUND, *watched], output=output, keep=keep, environment=kept)  # noqa: SLF001 - its own class

    def _run(
        self,
        command: list[str],
        *,
        output: int,
        keep: tuple[int, ...],
        environment: Mapping[str, str] = _ENVIRONMENT,
    ) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                check=False,
                cwd="/",
                env=environment,
                pass_fds=keep,
                start_new_session=True,
                user=self.uid if self.switched else None,
                group=self.gid if self.switched else None,
                extra_groups=[] if self.switched else None,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise BackendUnavailable(f"{command[0]} did not end within {_SECONDS:g} seconds.") from None
        except PermissionError:
            if not self.switched:
                raise
            raise ConfigurationError(
                f"PostgreSQL does not run as root, and this root may not start a program as uid {self.uid}; "
                "run Citemark as another user, or set CITEMARK_DATABASE_URL."
            ) from None


def server_account(layout: DataFolder) -> ServerAccount:
    """The account for the server of an existing data folder.

    PostgreSQL refuses to run as root. Root therefore runs it as the owner of the folder or, if that is root,
    as the account `citemark` if it exists, else under a number that no account of this system has (ADR 30). Only
    this server runs under that number, so no other account may read its files or send it signals.
    """
    if os.geteuid() != 0:
        return ServerAccount(os.geteuid(), os.getegid(), switched=False)
    owner = layout.data_dir.stat()
    if owner.st_uid != 0:
        return ServerAccount(owner.st_uid, owner.st_gid, switched=True)
    account = _named(_OWN_NAME)
    if account is not None:
        return account
    number = _number_of(layout.cluster) or next(filter(_free, range(_OWN_NUMBER, _LAST_NUMBER)))
    return ServerAccount(number, number, switched=True)


def initdb_account(account: ServerAccount) -> ServerAccount:
    """The account that runs initdb, which needs a name: an account without one is replaced by `nobody` in its group.

    Raises:
        ConfigurationError: `nobody` does not exist either.
    """
    if not account.switched or not _free(account.uid):
        return account
    nobody = _named("nobody")
    if nobody is None:
        raise ConfigurationError(
            "PostgreSQL does not run as root and there is neither an account 'citemark' nor 'nobody'; create one, "
            "run Citemark as another user, or set CITEMARK_DATA_DIR to a folder that belongs to one."
        )
    return replace(nobody, gid=account.gid)


def _named(name: str) -> ServerAccount | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return ServerAccount(entry.pw_uid, entry.pw_gid, switched=True) if entry.pw_uid else None


def _number_of(cluster: Path) -> int | None:
    """The number without an account that an existing cluster belongs to, or None."""
    try:
        owner = cluster.stat().st_uid
    except OSError:
        return None
    return owner if owner and _free(owner) else None


def _free(number: int) -> bool:
    """Whether no account of this system has this number."""
    try:
        pwd.getpwuid(number)
    except KeyError:
        return True
    return False
