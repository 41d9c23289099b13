"""What the check says of hand-written sentences in three languages; half of them were not used for its fit."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tests.unit.answering.papers import document

from citemark.answering.checking import check

_FILE = Path(__file__).resolve().parents[2] / "data" / "sentences" / "sentences.yaml"


def verdicts(*, fitted: bool) -> Iterator[tuple[str, str, set[str]]]:
    """(what is right, the sentence, what the check says) of every other sentence."""
    for source in yaml.safe_load(_FILE.read_text("utf-8")):
        paper = document(1, source["text"])
        for row in source["sentences"][0 if fitted else 1 :: 2]:
            cited = f"{row['said']} [1]" if row["says"] in {"supported", "wrong"} else row["said"]
            yield row["says"], row["said"], {sentence.standing for sentence in check(cited, [paper]).sentences}


@pytest.mark.requirement("claims-in-three-languages")
@pytest.mark.parametrize("fitted", [True, False])
def test_what_the_text_does_not_say_is_unsupported_and_little_else(fitted: bool) -> None:
    found, wrong = Counter[bool](), list[str]()
    for says, said, standings in verdicts(fitted=fitted):
        unsupported = "unsupported" in standings
        if says == "wrong":
            found[unsupported] += 1
        elif says == "supported" and unsupported:
            wrong.append(said)
    assert found[True] / (found[True] + len(wrong)) >= 0.9, wrong
    assert found[True] / found.total() >= 0.8


@pytest.mark.requirement("politeness-is-no-claim")
@pytest.mark.parametrize("fitted", [True, False])
def test_politeness_and_gaps_claim_nothing_and_what_goes_on_after_them_does(fitted: bool) -> None:
    polite = [(said, stands) for says, said, stands in verdicts(fitted=fitted) if says == "nothing"]
    claiming = [(said, stands) for says, said, stands in verdicts(fitted=fitted) if says == "claims"]
    assert [said for said, stands in polite if stands != {"no_claim"}] == []
    assert [said for said, stands in claiming if stands == {"no_claim"}] == []
    assert polite
    assert claiming
