"""`make trace`: the files of src/citemark that one `kb_retrieve_evidence` over MCP enters, in order.

The parent indexes the sample files and talks to `citemark serve` over stdio. The child is that server with a profiler
on every thread; it records between two signals, so what opening an index needs is not counted. Background work may fall
into one call but not into all, so only files that every call enters are listed.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.served import ROOT, index, indexed

_SRC = ROOT / "src" / "citemark"
_CALLS = 4
"""The first call also makes the caches that later ones find."""

_OUT = "TRACE_OUT"
_TOOL = "kb_retrieve_evidence"


class _Recorder:
    """Which files of the package are entered while it is on, in the order of the first time."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._files: dict[str, None] = {}
        self._on = False

    def profile(self, frame: FrameType, event: str, _argument: object) -> None:
        if self._on and event == "call":
            self._files[frame.f_code.co_filename] = None

    def toggle(self, *_: object) -> None:
        self._on = not self._on
        if self._on:
            self._files = {}
            self._out.write_text("on", encoding="utf-8")
            return
        inside = [Path(name) for name in self._files if name.startswith(f"{_SRC}{os.sep}")]
        self._out.write_text("\n".join(str(path.relative_to(_SRC)) for path in inside), encoding="utf-8")


def serve() -> None:
    """Be the server, with the profiler on."""
    from citemark.app.main import main  # noqa: PLC0415

    recorder = _Recorder(Path(os.environ[_OUT]))
    signal.signal(signal.SIGUSR1, recorder.toggle)
    threading.setprofile(recorder.profile)
    sys.setprofile(recorder.profile)
    sys.argv = ["citemark", "serve"]
    main()


async def traced(data_dir: Path) -> list[str]:
    """The files that each of several calls enters, in the order of the last call."""
    served = index(data_dir)
    out, pid_file = data_dir.parent / "trace", data_dir.parent / "pid"
    start = f"import os, pathlib; pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()))"
    command = f"{start}; from tests.support.trace import serve; serve()"
    environment = {**served.environment, _OUT: str(out), "CITEMARK_WATCH": "false"}
    parameters = StdioServerParameters(command=sys.executable, args=["-c", command], env=environment, cwd=str(ROOT))
    found: list[list[str]] = []
    async with Client(stdio_client(parameters)) as client:
        for _ in range(_CALLS):
            await asyncio.to_thread(_toggle, pid_file, out)
            result = await client.call_tool(_TOOL, {"question": served.question})
            assert not result.is_error, result
            found.append((await asyncio.to_thread(_toggle, pid_file, out)).splitlines())
    return [name for name in found[-1] if all(name in others for others in found[1:])]


def _toggle(pid_file: Path, out: Path) -> str:
    """Have the recorder begin or end; what it wrote."""
    out.unlink(missing_ok=True)
    os.kill(int(pid_file.read_text()), signal.SIGUSR1)
    while not out.is_file() or not (text := out.read_text(encoding="utf-8")):
        time.sleep(0.01)
    return text


def report(files: Sequence[str]) -> str:
    """The numbered list and its count, which is watched and has no limit."""
    lines = [f"{number:3} {name}" for number, name in enumerate(files, 1)]
    return "\n".join([*lines, f"{len(files)} files"])


if __name__ == "__main__":
    with indexed() as folder:
        print(report(asyncio.run(traced(folder))))  # noqa: T201 - a report for the terminal
