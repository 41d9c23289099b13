"""Logs go to stderr, name what failed, and hold neither secrets nor texts."""

import ast
from pathlib import Path
from typing import Any

import pytest
import stamina
import structlog
from structlog.testing import capture_logs

import citemark
from citemark.logs import configure_logs, failure_fields, log_retries, redact, unlogged
from citemark.model.errors import RetriableSourceError

_LEVELS = frozenset({"debug", "info", "warning", "error", "exception"})


@pytest.mark.requirement("internal-error-log-holds-no-text")
def test_places_are_named_within_their_package_and_not_by_the_folders_of_a_machine() -> None:
    with pytest.raises(SyntaxError) as caught:
        ast.parse("(")
    fields = failure_fields(caught.value)
    assert [frame.partition(":")[0] for frame in fields["frames"]] == ["tests/unit/test_logs.py", "ast.py"]
    assert fields["error_type"] == "SyntaxError"


@pytest.mark.requirement("internal-error-log-holds-no-text")
def test_an_endless_recursion_keeps_its_innermost_frames() -> None:
    def deeper() -> None:
        deeper()

    with pytest.raises(RecursionError) as caught:
        deeper()
    frames = failure_fields(caught.value)["frames"]
    assert len(frames) == 30
    assert frames[-1].endswith("deeper")


@pytest.mark.requirement("warnings-grouped")
def test_what_a_person_is_told_afterwards_is_not_logged_before(capsys: pytest.CaptureFixture[str]) -> None:
    before = structlog.get_config()
    try:
        configure_logs("warning")
        log = structlog.get_logger("sync")
        with unlogged("document_failed"):
            log.warning("document_failed", document="a.pdf")
            log.warning("database_lost")
        log.warning("document_failed", document="b.pdf")
    finally:
        structlog.configure(**before)
    said = capsys.readouterr().err
    assert ["a.pdf" in said, "database_lost" in said, "b.pdf" in said] == [False, True, True]


@pytest.mark.requirement("failed-generation-logged-with-reason")
async def test_a_second_try_is_logged_at_info_with_what_failed_and_not_what_was_asked() -> None:
    tries: list[str] = []

    async def once(text: str) -> str:
        tries.append(text)
        if len(tries) == 1:
            raise RetriableSourceError("pw-4711", origin="https://cloud.example.org", reason="HTTP 503")
        return text

    log_retries()
    try:
        with capture_logs() as logs, stamina.set_testing(testing=True, attempts=2, cap=True):
            await stamina.AsyncRetryingCaller(attempts=2)(RetriableSourceError, once, "a secret question")
    finally:
        stamina.instrumentation.set_on_retry_hooks(None)
    (log,) = logs
    assert log["log_level"] == "info"
    said = {key: log[key] for key in ("event", "origin", "reason", "error_type", "attempt")}
    assert said == {
        "event": "retry",
        "origin": "https://cloud.example.org",
        "reason": "HTTP 503",
        "error_type": "RetriableSourceError",
        "attempt": 1,
    }
    assert "4711" not in str(logs)
    assert "secret question" not in str(logs)


@pytest.mark.requirement("internal-error-log-holds-no-text")
def test_every_value_that_is_logged_can_be_read() -> None:
    for file, call in log_calls():
        names = {keyword.arg for keyword in call.keywords if keyword.arg} - {"exc_info"}
        shown: dict[str, Any] = dict(redact(None, "", dict.fromkeys(names, "said")))
        assert "[redacted]" not in shown.values(), f"{file}:{call.lineno}"
        assert isinstance(call.args[0], ast.Constant), f"{file}:{call.lineno} builds its event from values"


def log_calls() -> list[tuple[str, ast.Call]]:
    """Every call of a logger in the package, with its file."""
    found: list[tuple[str, ast.Call]] = []
    for path in sorted(Path(citemark.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LEVELS:
                owner = ast.unparse(node.func.value)
                if owner in {"_log", "log"} or owner.startswith("structlog.get_logger"):
                    found.append((path.name, node))
    assert len(found) > 25
    return found
