"""A process that uses the embedded server and obeys the lines it is sent; run by the tests of sharing and recovery.

Usage: embedded_user.py DATA_DIR [UID GID]; given these, it is that user from then on.
It answers each line with one JSON object. Lines: acquire, ensure, release, leave.
"""

import json
import os
import sys
from pathlib import Path

from citemark.model.errors import CitemarkError
from citemark.store.embedded import EmbeddedPostgres


def main() -> None:
    if len(sys.argv) > 2:  # only now: everything is imported, which that user might not be able to read
        os.setgroups([])
        os.setgid(int(sys.argv[3]))
        os.setuid(int(sys.argv[2]))
    server = EmbeddedPostgres(Path(sys.argv[1]))
    for line in sys.stdin:
        word = line.strip()
        if word == "leave":
            return
        try:
            dsn = server.acquire() if word == "acquire" else server.ensure() if word == "ensure" else server.release()
            answer = {"dsn": dsn, "pid": server.status().pid}
        except CitemarkError as error:
            answer = {"error": type(error).__name__, "message": error.message}
        print(json.dumps(answer), flush=True)  # noqa: T201 - the answer


main()
