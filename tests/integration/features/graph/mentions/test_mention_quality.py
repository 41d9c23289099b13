"""How well mentions are found in a real documentation, against labels that were given before the rules were tuned."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.mention_corpus import Corpus, corpus, digest_of

DATA = Path(__file__).parents[4] / "data" / "mentions"
DRAWN = 200


@pytest.fixture(scope="module")
def read(shared_data: Path) -> Corpus:
    return asyncio.run(corpus(shared_data))


def _labels(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.requirement("nine-in-ten-mentions-are-right")
def test_nine_in_ten_mentions_drawn_by_seed_mean_what_they_are_linked_to(read: Corpus) -> None:
    labels = {(row["page"], row["section"], row["name"]): row for row in _labels("drawn.jsonl")}
    drawn = sorted(read.edges(), key=lambda edge: edge.rank("mentions"))[:DRAWN]
    told = [labels.get((edge.page, edge.section, edge.name)) for edge in drawn]
    # A mention that nobody has read counts as wrong.
    assert sum(row is not None and bool(row["true"]) for row in told) / DRAWN >= 0.9


@pytest.mark.requirement("seven-in-ten-mentions-are-found")
def test_seven_in_ten_mentions_that_a_reader_would_link_are_found(read: Corpus) -> None:
    found = {(edge.page, edge.section, edge.name) for edge in read.edges()}
    wanted = [(row["page"], row["section"], name) for row in _labels("passages.jsonl") for name in row["names"]]
    assert len(wanted) >= 100
    assert sum(each in found for each in wanted) / len(wanted) >= 0.7


def test_the_labels_belong_to_the_texts_that_are_read(read: Corpus) -> None:
    for row in _labels("drawn.jsonl"):
        body = read.pages[row["page"]].extracted.body
        assert digest_of(body[max(0, row["start"] - 40) : row["start"] + 40]) == row["around"]
    for row in _labels("passages.jsonl"):
        assert digest_of(read.pages[row["page"]].extracted.body[row["start"] : row["end"]]) == row["text"]
