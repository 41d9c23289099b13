"""gRPC leaves the processes alone that the server starts: PostgreSQL, parsers of files."""

import subprocess
import sys

_FORKING = """
import asyncio, subprocess
from citemark.app.serve_grpc import require_grpc
require_grpc()
import grpc

async def main():
    server = grpc.aio.server()
    server.add_insecure_port("127.0.0.1:0")
    await server.start()
    # A new session is one of the cases in which Python forks.
    subprocess.run(["true"], check=True, start_new_session=True, preexec_fn=lambda: None)
    await server.stop(0)

asyncio.run(main())
"""


def test_a_process_that_is_forked_off_runs_no_handlers_of_grpc() -> None:
    # At this level gRPC writes a line for each process that is forked off while its handlers are registered.
    environment = {"GRPC_VERBOSITY": "INFO", "PYTHONPATH": ":".join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", _FORKING], check=True, capture_output=True, text=True, env=environment
    )
    assert "fork" not in ended.stderr
