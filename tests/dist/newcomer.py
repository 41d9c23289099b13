"""A user without root whose home, caches and environment are empty."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.dist.pythons import Interpreter

_NETWORK = (
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "PIP_CERT", "PIP_DEFAULT_TIMEOUT"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"),
)
"""What a machine needs to reach a package index; nothing else of the environment is passed on."""

_LEFT_OUT = shutil.ignore_patterns("site-packages", "test", "__pycache__", "*.a")
_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Newcomer:
    """The user's home, and the account it belongs to: `nobody` where these tests run as root, else one's own."""

    home: Path
    account: pwd.struct_passwd

    @classmethod
    def at(cls, home: Path) -> "Newcomer":
        """A newcomer with a new home, which everybody may enter."""
        account = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        (home / "tmp").mkdir(parents=True)
        for folder in (home.parent, home, home / "tmp"):
            folder.chmod(0o755)
            os.chown(folder, account.pw_uid, account.pw_gid)
        return cls(home, account)

    @property
    def temporary(self) -> Path:
        """Where programs put what is temporary."""
        return self.home / "tmp"

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """What every command sees."""
        network = {name: os.environ[name] for name in _NETWORK if name in os.environ}
        ours = {"HOME": str(self.home), "TMPDIR": str(self.temporary), "PATH": os.defpath, "LANG": "C.UTF-8"}
        return {**network, **ours, "USER": self.account.pw_name, **more}

    def start(self, command: Sequence[str], more: Mapping[str, str]) -> "subprocess.Popen[str]":
        """Start a program in the home as this user, in a session of its own."""
        is_root = os.geteuid() == 0
        return subprocess.Popen(
            command,
            cwd=self.home,
            env=self.environment(more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            user=self.account.pw_uid if is_root else None,
            group=self.account.pw_gid if is_root else None,
            extra_groups=[] if is_root else None,
        )

    def run(self, command: Sequence[str], more: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
        """Run a program to its end.

        Raises:
            subprocess.TimeoutExpired: it took fifteen minutes.
        """
        with self.start(command, more) as process:
            try:
                out, err = process.communicate(timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                raise
        return subprocess.CompletedProcess(command, process.returncode, out, err)


def within_reach(python: Interpreter, copies: Path) -> tuple[Interpreter, dict[str, str]]:
    """A Python that other users can start, and what its process needs: the same, or a copy of one in a closed folder.

    A copy has no packages of others. It finds its shared library by LD_LIBRARY_PATH, since the path that was built
    into it is closed too.
    """
    program = python.program.resolve()
    if all(folder.stat().st_mode & 0o001 for folder in program.parents):
        return Interpreter(python.version, program), {}
    copy = copies / python.version
    for name in ("bin", "lib"):
        shutil.copytree(program.parents[1] / name, copy / name, symlinks=True, ignore=_LEFT_OUT)
    return Interpreter(python.version, copy / "bin" / program.name), {"LD_LIBRARY_PATH": str(copy / "lib")}
