"""The account that the server runs under: this one, or for root an unprivileged one that exists already."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from citemark.model.errors import ConfigurationError

_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C", "HOME": "/"}


@dataclass(frozen=True, slots=True)
class Account:
    """User and group of the server; `switched` when they differ from this process's."""

    uid: int
    gid: int
    switched: bool

    def can(self, *checks: tuple[str, Path]) -> bool:
        """Whether this account passes every check: a flag of test(1) ("-x", "-r") and a path."""
        if not self.switched:
            modes = {"-x": os.X_OK, "-r": os.R_OK}
            return all(os.access(path, modes[flag]) for flag, path in checks)
        script = " && ".join(f'test {flag} "${place}"' for place, (flag, _) in enumerate(checks, 1))
        return self.run(["/bin/sh", "-c", script, "sh", *(str(path) for _, path in checks)]).returncode == 0

    def run(self, command: list[str], *, keep: tuple[int, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Run a command to its end as this account, with none of this process's environment but `keep` descriptors."""
        return self._run(command, output=subprocess.PIPE, keep=keep)

    def spawn(self, command: list[str], *, output: int, keep: tuple[int, ...]) -> None:
        """Start a command that outlives this process: a session of its own, no terminal, no pipe of ours, no zombie."""
        self._run(["/bin/sh", "-c", '"$@" &', "sh", *command], output=output, keep=keep)

    def _run(self, command: list[str], *, output: int, keep: tuple[int, ...]) -> subprocess.CompletedProcess[str]:
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
                env=_ENVIRONMENT,
                pass_fds=keep,
                start_new_session=True,
                user=self.uid if self.switched else None,
                group=self.gid if self.switched else None,
                extra_groups=[] if self.switched else None,
            )
        except PermissionError:
            if not self.switched:
                raise
            raise ConfigurationError(
                f"PostgreSQL does not run as root, and this root may not start a program as uid {self.uid}; "
                "run Citemark as another user, or set CITEMARK_DATABASE_URL."
            ) from None


def server_account(data_dir: Path) -> Account:
    """The account for the server of an existing data folder.

    PostgreSQL refuses to run as root. Root therefore lends it the owner of the folder, or `nobody` where that is root.

    Raises:
        ConfigurationError: root, and this system knows no account `nobody`.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), switched=False)
    owner = data_dir.stat()
    if owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid, switched=True)
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise ConfigurationError(
            "PostgreSQL does not run as root and there is no account 'nobody'; run Citemark as another user, "
            "or set CITEMARK_DATA_DIR to a folder that belongs to one."
        ) from None
    return Account(nobody.pw_uid, nobody.pw_gid, switched=True)
