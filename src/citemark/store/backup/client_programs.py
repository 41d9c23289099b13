"""Runs PostgreSQL's own programs for copies: the password goes by the environment, which other accounts cannot read."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from citemark.model.errors import BackendUnavailable
from citemark.store.conninfo import safe_message


async def run_program(command: Sequence[str], dsn: str, *files: str) -> None:
    """Run a client program of PostgreSQL on a database to its end; it is killed if the caller is cancelled.

    Args:
        command: the program and its options, without how to connect.
        dsn: the database, with its password.
        files: arguments after the options.

    Raises:
        BackendUnavailable: the program failed; the message ends with the first line that it wrote.
    """
    parameters = conninfo_to_dict(dsn)
    password = parameters.pop("password", None)
    secret = {} if password is None else {"PGPASSWORD": str(password)}
    process = await asyncio.create_subprocess_exec(
        *command,
        f"--dbname={make_conninfo('', **parameters)}",
        *files,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C", **secret},
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    if process.returncode:
        message = said.decode("utf-8", "replace")
        raise BackendUnavailable(f"A program of PostgreSQL failed: {safe_message(RuntimeError(message), dsn)}")
