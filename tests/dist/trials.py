"""`make dist-try`: installs the built wheels as people do, and asks for the first cited answer.

Everything happens as a user without root, with an empty home, on each supported Python of the machine. The packages
of other makers come from the package index; the first trial with pip and the first with uv fill their caches.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.dist import bundle, mcp_bundle_host, mcpb
from tests.dist.commands import CommandFailed
from tests.dist.newcomer import Newcomer, within_reach
from tests.dist.packages import PACKAGES
from tests.dist.pythons import Interpreter, installed

_GOOD = "ok"
_WORDS, _DOCUMENT = "twelve to eighteen hours", "sourdough.md"
"""What the first answer of the demo quotes, and from where."""


class TrialFailed(Exception):
    """What a trial ended with instead of a cited answer."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What the trials on one Python share."""

    user: Newcomer
    python: Interpreter
    needs: dict[str, str]
    dist: Path
    wheel: Path
    tools: Path

    def run(self, *command: str | Path) -> str:
        """The output of a command.

        Raises:
            TrialFailed: its exit code is not 0.
        """
        words = [str(word) for word in command]
        done = self.user.run(words, self.environment())
        if done.returncode:
            said = "\n".join(f"{done.stdout}{done.stderr}".strip().splitlines()[-15:])
            raise TrialFailed(f"{' '.join(words)} ended with {done.returncode}:\n{said}")
        return done.stdout

    def environment(self) -> dict[str, str]:
        """What commands see besides the user's own: where the wheels are, for tools that have no option for it."""
        return {**self.needs, "PIP_FIND_LINKS": str(self.dist), "UV_FIND_LINKS": str(self.dist),
                "PIPX_HOME": str(self.folder("pipx")), "PIPX_BIN_DIR": str(self.folder("pipx") / "bin"),
                "PATH": f"{self.tools}:/usr/local/bin:/usr/bin:/bin"}  # fmt: skip

    def folder(self, name: str) -> Path:
        """A folder of the user's for one trial."""
        return self.user.home / f"{name}-{self.python.version}"


def run(dist: Path, version: str) -> int:
    """Try every way on every Python; exit code 1 when one fails."""
    pythons = installed()
    if not pythons:
        sys.stderr.write("no Python that Citemark supports is on this machine\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="citemark-try-", ignore_cleanup_errors=True) as folder:
        user, shared = Newcomer.at(Path(folder) / "home"), Path(folder) / "shared"
        _share(dist, shared)
        wheel = shared / "dist" / PACKAGES[0].files(version)[0]
        told = [_bundle_accepted(dist / name, shared / "mcpb" / name) for name in bundle.NAMES]
        for python in pythons:
            reachable, needs = within_reach(python, shared / "pythons")
            bench = Bench(user, reachable, needs, shared / "dist", wheel, shared / "tools")
            told += [_tried(bench, name) for name in WAYS]
    return 0 if set(told) == {_GOOD} else 1


def _share(dist: Path, shared: Path) -> None:
    """Copies of what the user has to be able to read, wherever the repository is."""
    shutil.copytree(dist, shared / "dist")
    (shared / "tools").mkdir()
    for tool in ("uv", "uvx"):
        shutil.copy(Path(sys.executable).with_name(tool), shared / "tools")


def _bundle_accepted(packed: Path, into: Path) -> str:
    """Hold the bundle to the tool of its format, report it, and return what is told of it."""
    try:
        other = mcpb.unpacked(packed, into)
        told = f"the format's tool packs {', '.join(other)} otherwise" if other else _GOOD
    except CommandFailed as failure:
        told = str(failure)
    _say(f"{packed.name} validated, unpacked and packed again: {told}")
    return told


def _tried(bench: Bench, name: str) -> str:
    """Try a way, report it, and return what is told of it."""
    began = perf_counter()
    try:
        WAYS[name](bench)
        left = sorted(path.name for path in bench.user.temporary.glob("citemark-*"))
        told = f"left {', '.join(left)} behind" if left else _GOOD
    except (TrialFailed, subprocess.TimeoutExpired) as failure:
        told = str(failure)
    _say(f"Python {bench.python.version}  {name:<12} {perf_counter() - began:6.1f} s  {told}")
    return told


def _pip(bench: Bench) -> None:
    place = bench.folder("pip")
    bench.run(bench.python.program, "-m", "venv", place)
    bench.run(place / "bin/python", "-m", "pip", "install", "--quiet", "--find-links", bench.dist, bench.wheel)
    cited_answer(bench.run(place / "bin/citemark", "demo", "--json"))


def _uv(bench: Bench) -> None:
    place = bench.folder("uv")
    bench.run("uv", "venv", "--quiet", "--python", bench.python.program, place)
    python = place / "bin/python"
    bench.run("uv", "pip", "install", "--quiet", "--python", python, "--find-links", bench.dist, bench.wheel)
    cited_answer(bench.run(place / "bin/citemark", "demo", "--json"))


def _uvx(bench: Bench) -> None:
    chosen = ("--python", bench.python.program, "--find-links", bench.dist)
    cited_answer(bench.run("uvx", *chosen, "citemark", "demo", "--json"))


def _uvx_from(bench: Bench) -> None:
    chosen = ("--python", bench.python.program, "--find-links", bench.dist)
    cited_answer(bench.run("uvx", *chosen, "--from", bench.wheel, "citemark", "demo", "--json"))


def _pipx(bench: Bench) -> None:
    links = f"--pip-args=--find-links {bench.dist}"
    bench.run("uvx", "pipx", "install", "--quiet", "--python", bench.python.program, links, bench.wheel)
    cited_answer(bench.run(bench.folder("pipx") / "bin/citemark", "demo", "--json"))


def _bundle(bench: Bench, packed: str) -> None:
    place = bench.folder(packed)
    bench.run("cp", "-R", bench.dist.parent / "mcpb" / packed / "bundle", place)  # as the format's tool has unpacked it
    environment = {**bench.environment(), "UV_PYTHON": str(bench.python.program)}
    names = mcp_bundle_host.tools_of(place, lambda command, more: bench.user.start(command, {**environment, **more}))
    if "kb_retrieve_evidence" not in names:
        raise TrialFailed(f"the bundle's server lists {', '.join(names) or 'no tool'}")


def cited_answer(output: str) -> None:
    """Hold what `citemark demo --json` printed to its first answer.

    Raises:
        TrialFailed: the answer lacks the quote or its citation.
    """
    first = json.loads(output)["answers"][0]
    quote: dict[str, Any] = (first["quotes"] or [{"quote": "", "citation": {"document_id": ""}}])[0]
    if _WORDS not in quote["quote"] or not quote["citation"]["document_id"].startswith(_DOCUMENT):
        raise TrialFailed(f"the first answer of the demo is {quote}")


WAYS: dict[str, Callable[[Bench], None]] = {
    "pip": _pip, "uv": _uv, "uvx": _uvx, "uvx --from": _uvx_from, "pipx": _pipx,
    "bundle": partial(_bundle, packed=bundle.NAME), "older bundle": partial(_bundle, packed=bundle.OLDER),
}  # fmt: skip
"""Each way to install, by its name."""


def _say(words: str) -> None:
    print(words, flush=True)  # noqa: T201 - the report
