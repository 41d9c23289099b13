"""The runbook quotes what the source says: whoever looks for a message of a failing server finds it there."""

import ast
import re
from pathlib import Path

import pytest

from citemark.tools.call_metrics import CallMetrics

ROOT = Path(__file__).resolve().parents[2]
PAGE = " ".join((ROOT / "docs" / "runbook.md").read_text("utf-8").split())
SEEN = re.findall(r"\*\*Seen:\*\* (.+?) \*\*Means:\*\*", PAGE)
DIFFERS = "\0"
"""What stands for a value in a message."""

ELSEWHERE = {"citemark sync", "citemark status", "embedding_url", "http_waiting", "database_read_urls"}
"""Commands and settings, which other tests hold."""


def message_of(node: ast.expr) -> str | None:
    """The text of a literal, with a mark for each of its values."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else DIFFERS for part in node.values)
    return None


@pytest.fixture(scope="module")
def messages() -> list[str]:
    """Every literal of the package, and the metrics."""
    found = [CallMetrics().text().decode()]
    for file in sorted((ROOT / "src" / "citemark").rglob("*.py")):
        nodes = ast.walk(ast.parse(file.read_text("utf-8")))
        found += [text for node in nodes if isinstance(node, ast.expr) and (text := message_of(node))]
    return found


def quoted(seen: str) -> list[str]:
    return [each for each in re.findall(r"`([^`]+)`", seen) if each not in ELSEWHERE and not each.startswith("/")]


@pytest.mark.requirement("runbook-of-ten-failures")
def test_the_runbook_has_ten_failures_with_what_is_seen_what_it_means_and_what_to_do() -> None:
    assert len(SEEN) == 10
    assert PAGE.count("**Do:**") == PAGE.count("**Means:**") == 10
    assert re.findall(r"## (\d+)\. ", PAGE) == [str(number) for number in range(1, 11)]


@pytest.mark.requirement("runbook-of-ten-failures")
def test_every_message_and_metric_that_the_runbook_says_is_seen_is_in_the_source(messages: list[str]) -> None:
    everything = [each for seen in SEEN for each in quoted(seen)]
    assert len(everything) >= 20
    for each in everything:
        text = DIFFERS.join(each.split("…"))
        assert any(text in message for message in messages), each


@pytest.mark.requirement("runbook-of-ten-failures")
def test_every_failure_names_a_test_that_provokes_it() -> None:
    sections = re.split(r"## \d+\. ", PAGE)[1:]
    for section in sections:
        provoked = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", section.partition("**Provoked by:**")[2])
        assert provoked, section[:60]
        for file, name in provoked:
            nodes = ast.walk(ast.parse((ROOT / file).read_text("utf-8")))
            tests = {each.name for each in nodes if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
            assert name in tests, f"{file} has no {name}"
