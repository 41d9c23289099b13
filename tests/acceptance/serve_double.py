"""`python -m tests.acceptance.serve_double`: the MCP server over stdio, with use cases in memory behind it."""

import asyncio
import sys

from tests.support.groups import catalog

from citemark.services.requests import Caller
from citemark.settings import load_settings
from citemark.tools.server import build_server
from citemark.tools.stdio_transport import run_stdio


async def _services():  # noqa: ANN202 - imported late, as the real services are
    from tests.unit.tools.double import DoubleServices  # noqa: PLC0415

    print("a stray print of a library")  # noqa: T201
    sys.__stdout__.write("and one that went round sys.stdout\n")  # type: ignore[union-attr]
    return DoubleServices()


if __name__ == "__main__":
    asyncio.run(run_stdio(build_server(_services, load_settings(), Caller.local(), catalog())))
