"""How quick the machine is at the moment, which differs from day to day on shared hosts."""

import subprocess
import sys
from importlib import import_module
from typing import Any

_SDK = (
    "import sys, mcp_types, mcp.server.caching, mcp.server.lowlevel, mcp.server.session, mcp.server.subscriptions;"
    "sys.stdout.write('.'); sys.stdout.flush(); sys.stdin.read()"
)


def pace() -> float:
    """Seconds of processor time for importing what a server imports of the SDK, the least of three processes."""
    return round(min(imported() for _ in range(3)), 2)


def imported() -> float:
    """The same of one process."""
    with subprocess.Popen([sys.executable, "-P", "-c", _SDK], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        return processor_time(process.pid)


def processor_time(process_id: int) -> float:
    """User and system time of a process so far, in seconds."""
    psutil: Any = import_module("psutil")
    times = psutil.Process(process_id).cpu_times()
    return times.user + times.system
