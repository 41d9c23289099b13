"""What a process logs to stderr: neither secrets nor texts, whoever logs them."""

import subprocess
import sys

import pytest

_START = """
import asyncio, logging, structlog, sys, threading
from citemark.logs import configure_logs
configure_logs("debug")
log, library = structlog.get_logger("x"), logging.getLogger("library")
"""
_PROGRAM = """
log.info("done", action="indexed", document="a.md", query="my secret question",
    text="whole text of a page", password="pw-4711", token="t-4711")
library.warning("a library warns of %s after %d tries", "pw-4711", 3)
library.warning("wrong number of %s %s", "pw-4711")
library.warning("named %(what)s", {"what": "pw-4711"})
library.info("a library chats")
"""
_FAILURES = """
def inner():
    raise KeyError("pw-4711")
def outer():
    try:
        inner()
    except KeyError as error:
        raise RuntimeError("whole text of a page") from error
try:
    outer()
except RuntimeError:
    log.exception("broke", action="work")
    library.exception("a library broke on %s", "pw-4711")
try:
    raise ExceptionGroup("pw-4711", [ValueError("pw-4711")])
except ExceptionGroup as group:
    log.error("broke", action="group", exc_info=group)
thread = threading.Thread(target=outer)
thread.start()
thread.join()
async def forgotten():
    task = asyncio.create_task(asyncio.to_thread(outer), name="forgotten")
    await asyncio.wait([task])
asyncio.run(forgotten())
"""


def printed(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", _START + program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    for secret in ("secret question", "whole text", "4711", "chats"):
        assert secret not in done.stderr
    return done.stderr


@pytest.mark.requirement("logs-hide-secrets-and-long-text", "logs-never-touch-stdout")
def test_unknown_keys_and_the_values_of_libraries_are_redacted_and_nothing_goes_to_stdout() -> None:
    log = printed(_PROGRAM)
    assert "document='a.md'" in log
    assert "query='[redacted]'" in log
    assert "WARNING library a library warns of [redacted] after 3 tries" in log
    assert "WARNING library wrong number of %s %s" in log
    assert "WARNING library named %(what)s" in log


@pytest.mark.requirement("internal-error-log-holds-no-text", "logs-hide-secrets-and-long-text")
def test_an_exception_is_logged_with_its_type_and_places_wherever_it_was_raised() -> None:
    lines = printed(_FAILURES).splitlines()
    frames = (
        "['<string>:15 <module>', '<string>:13 outer', 'caused by KeyError', '<string>:11 outer', '<string>:8 inner']"
    )
    (worked,) = [line for line in lines if "action='work'" in line]
    assert f"error_type='RuntimeError' frames={frames}" in worked
    (library,) = [line for line in lines if "a library broke on [redacted]" in line]
    assert f"error_type='RuntimeError' frames={frames}" in library
    (group,) = [line for line in lines if "action='group'" in line]
    assert "error_type='ExceptionGroup'" in group
    assert "caused by ValueError" in group
    (thread,) = [line for line in lines if "thread_crashed" in line]
    assert "outer" in thread
    (task,) = [line for line in lines if "never retrieved" in line]
    assert task.startswith("ERROR asyncio Task exception was never retrieved")
    assert "error_type='RuntimeError'" in task
