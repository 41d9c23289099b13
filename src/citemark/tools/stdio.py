"""Serving over the process's own stdin and stdout, with nothing but messages on stdout."""

import os
import sys
from contextlib import redirect_stdout
from typing import Any

from mcp.server.lowlevel import NotificationOptions, Server

from citemark.tools.wire import message_streams

_STDIN, _STDOUT, _STDERR = 0, 1, 2


async def run_stdio(server: Server[Any]) -> None:
    """Serve until stdin ends.

    Takes the two descriptors for good: stdin is empty and stdout is stderr for everyone else from here to the end of
    the process, so that no library, child or late flush can write between messages.
    """
    source, sink = _claim()
    with redirect_stdout(sys.stderr):
        async with message_streams(source, sink) as (inbound, outbound):
            options = server.create_initialization_options(NotificationOptions(tools_changed=True))
            await server.run(inbound, outbound, options)


def _claim() -> tuple[int, int]:
    """Private copies of stdin and stdout, whose numbers are then pointed elsewhere."""
    source, sink = os.dup(_STDIN), os.dup(_STDOUT)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, _STDIN)
    try:
        os.dup2(_STDERR, _STDOUT)
    except OSError:  # started without a stderr
        os.dup2(nothing, _STDOUT)
    os.close(nothing)
    return source, sink
