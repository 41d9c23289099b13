"""The answers of real questions, in a window of about 800 characters of the page that holds them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from citemark.evidence.budget import QuoteLimits
from citemark.evidence.preview import preview
from citemark.evidence.quotes import choose_quotes
from citemark.evidence.scoring import rank_spans

WINDOW = 800


@pytest.fixture(scope="module")
def cases(shared_data: Path, golden_questions: Path) -> list[tuple[str, str, str]]:
    """Question, window and answer, white space as single spaces in the answer."""
    golden = golden_questions / "docs-dev.yaml"
    found: list[tuple[str, str, str]] = []
    for entry in yaml.safe_load(golden.read_text()):
        if entry["expect"]:
            first = entry["expect"][0]
            answer = squeezed(first.get("answer", entry["answer"]))
            page = (shared_data / "docs-mcp" / first["path"]).read_text()
            found.append((entry["question"], next(part for part in windows(page) if answer in squeezed(part)), answer))
    return found


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def windows(page: str) -> Iterator[str]:
    """The page cut at headings, and at line ends where a section is longer than a window; code stays together."""
    part, fenced = "", False
    for line in page.splitlines(keepends=True):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not fenced and (re.match(r"#{1,6}\s", line) or len(part) + len(line) > WINDOW):
            yield part
            part = ""
        part += line
    yield part


def test_three_quotes_chosen_by_overlap_alone_contain_most_answers(cases: list[tuple[str, str, str]]) -> None:
    held = [
        any(
            answer in squeezed(quote.text)
            for quote in choose_quotes(rank_spans(question, text), [text], QuoteLimits(3))
        )
        for question, text, answer in cases
    ]
    assert sum(held) >= 0.76 * len(cases)


def test_previews_contain_more_than_half_of_the_answers(cases: list[tuple[str, str, str]]) -> None:
    held = [answer in squeezed(preview(question, text)) for question, text, answer in cases]
    assert sum(held) >= 0.55 * len(cases)
