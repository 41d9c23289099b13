"""Clients of gRPC against `citemark serve --grpc`: code made of the contract in the wheel, or reflection alone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.acceptance.served import BUILD, CITEMARK, ROOT, Served, installed_command, token_named_by
from tests.interop.environments import CLIENTS, HERE, NODE, NPM, NotInstalled, python_of
from tests.support.model_files import E, Sketch
from tests.support.patience import HANG_SECONDS

_TIMEOUT = 120
_TYPESCRIPT = HERE / "grpc_typescript"
_STEPS = ("search", "evidence", "excerpt", "quote holds", "list", "answer", "error")
_INVALID_ARGUMENT = 3
_ELEMENTS = ("Boiler", "Grinder", "Pump", "Tank", "Valve")


@dataclass(frozen=True, slots=True)
class GrpcRow:
    """What one client saw; a step is ok or what was wrong."""

    name: str
    version: str
    steps: dict[str, str]

    @property
    def passed(self) -> bool:
        """Whether every step went well."""
        return set(self.steps.values()) == {"ok"}


def grpc_rows(served: Served, folder: Path, answer: str) -> Generator[GrpcRow]:
    """Each client in turn, with a model of five elements in the index besides; `answer` is what the documents say."""
    model = folder / "kitchen.xml"
    model.write_bytes(Sketch([E(name.lower(), name=name) for name in _ELEMENTS]).exchange())
    words = ("add", "archimate", str(model), "--name", "kitchen", "--quiet")
    installed_command(*words, env=served.environment, check=True)
    with _over_grpc(served) as (address, token):
        for name, command in (
            ("@grpc/grpc-js, code by ts-proto", _typescript),
            ("grpcio, stubs of the wheel", _stubs),
            ("grpcio, reflection alone", _reflection),
        ):
            try:
                seen = _seen(*command(), address=address, token=token, question=served.question)
                yield GrpcRow(name, seen["version"], steps_of(seen, answer))
            except (NotInstalled, subprocess.SubprocessError, KeyError) as error:
                yield GrpcRow(name, "?", dict.fromkeys(_STEPS, f"failed: {error}"[:120]))


def grpc_table(rows: list[GrpcRow]) -> str:
    """The rows in Markdown."""
    lines = ["| client | version | " + " | ".join(_STEPS) + " |", "| --- " * (len(_STEPS) + 2) + "|"]
    for row in rows:
        cells = [row.name, row.version, *(row.steps[step] for step in _STEPS)]
        lines.append("| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines)


@contextmanager
def _over_grpc(served: Served) -> Generator[tuple[str, str]]:
    """The address and the token of a running server."""
    command, pipe = [CITEMARK, "serve", "--grpc", "--grpc-address", "127.0.0.1:0"], subprocess.PIPE
    with subprocess.Popen(command, env=served.environment, cwd=ROOT, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[3]
            yield address, token_named_by(process.stdout.readline())
        finally:
            process.terminate()
            process.wait(HANG_SECONDS)


def _seen(command: list[str], folder: Path, *, address: str, token: str, question: str) -> dict[str, Any]:
    done = subprocess.run(
        [*command, address, question],
        cwd=folder,
        env={**os.environ, "CITEMARK_TOKEN": token},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT,
        check=False,
    )
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise NotInstalled((done.stderr.strip().splitlines() or ["no word"])[-1])
    return json.loads(done.stdout)


def steps_of(seen: dict[str, Any], answer: str) -> dict[str, str]:
    """What a client saw, judged: a step is ok or wrong."""
    details = str(seen["details"])
    right = {
        "search": any(answer in preview for preview in seen["previews"]),
        "evidence": 0 < len(seen["quotes"]) <= 2 and answer in seen["quotes"][0],
        "excerpt": bool(seen["excerpt"]),
        "quote holds": seen["holds"] == "exact",
        "list": seen["pages"] == [["Boiler", "Grinder"], ["Pump", "Tank"], ["Valve"]] and seen["total"] == 5,
        "answer": seen["parts"] == ["documents", "text", "check"],
        "error": seen["code"] == _INVALID_ARGUMENT and "INVALID_ARGUMENT" in details and "top_k" in details,
    }
    return {step: "ok" if good else "wrong" for step, good in right.items()}


def _reflection() -> tuple[list[str], Path]:
    return [str(python_of("grpc-reflection")), str(CLIENTS / "reflection_alone.py")], BUILD


def _stubs() -> tuple[list[str], Path]:
    python = python_of("grpc-stubs")
    uv = [sys.executable, "-m", "uv", "--quiet", "pip", "install", "--python", str(python)]
    _run([*uv, "--no-deps", "--reinstall", str(_wheel())], BUILD)
    return [str(python), str(CLIENTS / "grpc_stubs.py")], BUILD


def _typescript() -> tuple[list[str], Path]:
    """The client in JavaScript, compiled by the type checker, and its code made from the contract in the wheel."""
    folder = BUILD / "interop" / "grpc-typescript"
    folder.mkdir(parents=True, exist_ok=True)
    for path in _TYPESCRIPT.iterdir():
        shutil.copy(path, folder)
    path = os.environ | {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    npm = [str(NODE), str(NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
    _run(npm, folder, path)
    shutil.unpack_archive(_wheel(), folder / "wheel", "zip")
    contract = folder / "wheel" / "citemark" / "proto"
    buf = str(Path(sys.executable).with_name("buf"))
    _run([buf, "generate", str(contract), "--template", "buf.gen.yaml"], folder, path)
    _run([str(NODE), "node_modules/typescript/bin/tsc"], folder)
    return [str(NODE), "compiled/client.js"], folder


def _wheel() -> Path:
    """The wheel of this project, built anew."""
    folder = BUILD / "interop" / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], ROOT)
    (made,) = folder.glob("*.whl")
    return made


def _run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalled(((done.stdout + done.stderr).strip().splitlines() or ["no word"])[-1])
