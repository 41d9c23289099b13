"""A host of bundles: starts what a manifest says, and asks for the tools."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

_LISTED = 2
_MESSAGES: tuple[dict[str, Any], ...] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "make dist-try", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": _LISTED, "method": "tools/list"},
)


def command_of(bundle: Path) -> tuple[list[str], dict[str, str]]:
    """The command and the environment of a bundle whose user left all settings empty."""
    server = json.loads((bundle / "manifest.json").read_text("utf-8"))["server"]["mcp_config"]
    words = [word.replace("${__dirname}", str(bundle)) for word in (server["command"], *server["args"])]
    return words, {name: "" if "${user_config." in value else value for name, value in server["env"].items()}


def tools_of(
    bundle: Path, start: Callable[[Sequence[str], Mapping[str, str]], "subprocess.Popen[str]"], seconds: float = 300
) -> list[str]:
    """The names of the tools of an unpacked bundle; none if it ends, or is ended then, without an answer.

    Args:
        bundle: the folder that it was unpacked into.
        start: starts a command with an environment, in a session of its own.
        seconds: how long it may take.
    """
    process = start(*command_of(bundle))
    assert process.stdin is not None
    assert process.stdout is not None
    end = Timer(seconds, os.killpg, (process.pid, signal.SIGTERM))
    end.start()
    try:
        with suppress(BrokenPipeError):
            process.stdin.writelines(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in _MESSAGES)
            process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("id") == _LISTED:
                return [tool["name"] for tool in answer["result"]["tools"]]
        return []
    finally:
        process.communicate()  # its input ends, and so does the server
        end.cancel()
