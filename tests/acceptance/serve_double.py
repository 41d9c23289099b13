"""`python -m tests.acceptance.serve_double`: the MCP server over stdio, with use cases in memory behind it."""

import sys

from citemark.tools.startup_imports import defer_sdk_packages

defer_sdk_packages()

import asyncio  # noqa: E402

from citemark.services.requests import Caller  # noqa: E402
from citemark.settings import load_settings  # noqa: E402
from citemark.tools.server import build_server  # noqa: E402
from citemark.tools.stdio_transport import run_stdio  # noqa: E402


async def _services():  # noqa: ANN202 - imported late, as the real services is
    from tests.unit.tools.double import DoubleServices  # noqa: PLC0415

    print("a stray print of a library")  # noqa: T201
    sys.__stdout__.write("and one that went round sys.stdout\n")  # type: ignore[union-attr]
    return DoubleServices()


if __name__ == "__main__":
    asyncio.run(run_stdio(build_server(_services, load_settings(), Caller.local())))
