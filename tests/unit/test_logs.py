"""Logs go to stderr and hold neither secrets nor texts."""

import subprocess
import sys

import pytest

_PROGRAM = """
import logging, structlog
from citemark.logs import configure_logs
configure_logs("info")
structlog.get_logger("x").info("done", action="indexed", document="a.md", query="my secret question",
    text="whole text of a page", password="pw-4711", token="t-4711")
logging.getLogger("library").warning("a library warns")
logging.getLogger("library").info("a library chats")
"""


@pytest.mark.requirement("kb-10.4-redaction", "i2-9-stdout")
def test_unknown_keys_are_redacted_and_nothing_goes_to_stdout() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    for secret in ("secret question", "whole text", "4711", "chats"):
        assert secret not in done.stderr
    assert "document='a.md'" in done.stderr
    assert "query='[redacted]'" in done.stderr
    assert "a library warns" in done.stderr
