"""What a server writes to its log when things fail: enough to find the cause, and nothing of documents or people."""

import asyncio
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.served import CITEMARK, index
from tests.support.chat import chat_server
from tests.support.patience import HANG_SECONDS

DOCUMENT = "MARKER_DOCUMENT_5512"
QUESTION = "MARKER_QUESTION_8841"
KEY = "MARKER_KEY_7730"
_BREAKS = f"""
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE '{DOCUMENT}'; END $$;
    CREATE TRIGGER fail BEFORE INSERT ON passage EXECUTE FUNCTION fail();
"""


@pytest.fixture
def folder(tmp_path: Path) -> Generator[Path, None, None]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ports.md").write_text(f"# Ports\n\nThe server {DOCUMENT} listens on port 4711.\n")
    yield tmp_path
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.mark.requirement(
    "internal-error-log-holds-no-text", "failed-generation-logged-with-reason", "logs-hide-secrets-and-long-text"
)
async def test_a_debug_log_names_what_failed_and_holds_no_text_no_question_and_no_key(folder: Path, dsn: str) -> None:
    served = index(folder / "data")
    question = f"On which port does the server listen? {QUESTION}"
    with chat_server() as chat:
        chat.status, chat.reply = 500, {"error": {"message": f"{KEY} {QUESTION} {DOCUMENT}"}}
        environment = {
            **served.environment,
            "CITEMARK_DATABASE_URL": dsn,
            "CITEMARK_LOG_LEVEL": "debug",
            "CITEMARK_ANSWER_URL": chat.url,
            "CITEMARK_ANSWER_MODEL": "chat-1",
            "CITEMARK_ANSWER_API_KEY": KEY,
        }
        told = await asyncio.to_thread(indexed, folder, environment)
        log, answered, crashed = await asked(served.command, environment, question, dsn, folder)
    assert "[1]" in answered.structured_content["generated_answer"]
    assert "provider: server_error" in text_of(answered)
    line = line_with(log, "way='provider'")
    assert f"origin='{chat.url}' reason='server_error' what='HTTP 500'" in line
    assert crashed.is_error
    error = crashed.structured_content["error"]
    assert error["code"] == "INTERNAL_ERROR"
    line = line_with(log, error["details"]["request_id"])
    assert "error_type='RaiseException'" in line
    assert "citemark/tools/server.py:" in line
    assert "citemark/store/database.py:" in line
    assert str(Path(__file__).parents[2]) not in line
    for marker in (DOCUMENT, QUESTION, KEY):
        assert marker not in log + told


def indexed(folder: Path, environment: dict[str, str]) -> str:
    """What `citemark add docs` writes to its log."""
    add = [CITEMARK, "add", "docs", str(folder / "docs"), "--quiet"]
    return subprocess.run(add, env=environment, capture_output=True, text=True, check=True, timeout=HANG_SECONDS).stderr


async def asked(
    command: list[str], environment: dict[str, str], question: str, dsn: str, folder: Path
) -> tuple[str, Any, Any]:
    """The log of a server, an answer that no model wrote, and a search that broke on its database."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment)
    with (folder / "stderr").open("w+") as stderr:
        async with asyncio.timeout(HANG_SECONDS), Client(stdio_client(parameters, errlog=stderr)) as client:
            answered = await client.call_tool("kb_answer", {"question": question})
            with psycopg.connect(dsn) as connection:
                connection.execute(_BREAKS)
            crashed = await client.call_tool("kb_search", {"query": question})
        stderr.seek(0)
        return stderr.read(), answered, crashed


def line_with(log: str, what: str) -> str:
    """The one line of a log that has it."""
    (line,) = [line for line in log.splitlines() if what in line]
    return line


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")
