"""`make trace`: the files of src/citemark that one `kb_retrieve_evidence` over MCP enters, in order, and two figures.

The parent indexes the sample files and talks to `citemark serve` over stdio. The child is that server with a profiler
on every thread; it records between two signals, so what opening an index needs is not counted. Background work may fall
into one call but not into all, so only files that every call enters are listed; of the figures, the least counts. They
are how many functions a call enters, and how often the next function entered on a thread is in another package.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.served import ROOT, index, indexed

_SRC = ROOT / "src" / "citemark"
_CALLS = 4
"""The first call also makes the caches that later ones find."""

_OUT = "TRACE_OUT"
_TOOL = "kb_retrieve_evidence"


@dataclass(frozen=True, slots=True)
class Call:
    """What one call enters: files in the order of the first time, functions, and changes from package to package."""

    files: list[str]
    functions: int
    room_changes: int


class _Recorder:
    """Which functions of the package are entered while it is on."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._entered: list[tuple[int, CodeType]] = []
        self._on = False

    def profile(self, frame: FrameType, event: str, _argument: object) -> None:
        if self._on and event == "call":
            self._entered.append((threading.get_ident(), frame.f_code))

    def toggle(self, *_: object) -> None:
        self._on = not self._on
        if self._on:
            self._entered = []
            self._out.write_text("on", encoding="utf-8")
            return
        call = _call_of([each for each in self._entered if each[1].co_filename.startswith(f"{_SRC}{os.sep}")])
        self._out.write_text("\n".join([f"{call.functions} {call.room_changes}", *call.files]), encoding="utf-8")


def _call_of(entered: Sequence[tuple[int, CodeType]]) -> Call:
    files: dict[str, None] = {}
    room_by_thread: dict[int, str] = {}
    changes = 0
    for thread, code in entered:
        path = Path(code.co_filename).relative_to(_SRC)
        files[str(path)] = None
        changes += room_by_thread.get(thread, path.parts[0]) != path.parts[0]
        room_by_thread[thread] = path.parts[0]
    return Call(list(files), len({code for _, code in entered}), changes)


def serve() -> None:
    """Be the server, with the profiler on."""
    from citemark.app.main import main  # noqa: PLC0415

    recorder = _Recorder(Path(os.environ[_OUT]))
    signal.signal(signal.SIGUSR1, recorder.toggle)
    threading.setprofile(recorder.profile)
    sys.setprofile(recorder.profile)
    sys.argv = ["citemark", "serve"]
    main()


async def traced(data_dir: Path) -> Call:
    """What each of several calls enters, in the order of the last call."""
    served = index(data_dir)
    out, pid_file = data_dir.parent / "trace", data_dir.parent / "pid"
    start = f"import os, pathlib; pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()))"
    command = f"{start}; from tests.support.trace import serve; serve()"
    environment = {**served.environment, _OUT: str(out), "CITEMARK_WATCH": "false"}
    parameters = StdioServerParameters(command=sys.executable, args=["-c", command], env=environment, cwd=str(ROOT))
    found: list[Call] = []
    async with Client(stdio_client(parameters)) as client:
        for _ in range(_CALLS):
            await asyncio.to_thread(_toggle, pid_file, out)
            result = await client.call_tool(_TOOL, {"question": served.question})
            assert not result.is_error, result
            figures, *files = (await asyncio.to_thread(_toggle, pid_file, out)).splitlines()
            found.append(Call(files, *map(int, figures.split())))
    later = found[1:]
    return Call(
        [name for name in found[-1].files if all(name in other.files for other in later)],
        min(each.functions for each in later),
        min(each.room_changes for each in later),
    )


def _toggle(pid_file: Path, out: Path) -> str:
    """Have the recorder begin or end; what it wrote."""
    out.unlink(missing_ok=True)
    os.kill(int(pid_file.read_text()), signal.SIGUSR1)
    while not out.is_file() or not (text := out.read_text(encoding="utf-8")):
        time.sleep(0.01)
    return text


def report(call: Call) -> str:
    """The numbered list and the figures, which are watched and have no limit."""
    lines = [f"{number:3} {name}" for number, name in enumerate(call.files, 1)]
    return "\n".join([*lines, f"{len(call.files)} files, {call.functions} functions, {call.room_changes} room changes"])


if __name__ == "__main__":
    with indexed() as folder:
        print(report(asyncio.run(traced(folder))))  # noqa: T201 - a report for the terminal
