"""What a command shows of a result that lacks something."""

from typing import Any

import pytest

from citemark.cli.missing import with_missing
from citemark.cli.styled import Styled
from citemark.model.clock import system_clock
from citemark.model.completeness import ALL_READ, Reading, SourceReading
from citemark.model.scope import ResolvedContext
from citemark.results.common_parts import ResponseMetaOut, meta_fields
from citemark.services.empty import no_source
from citemark.services.requests import Caller
from citemark.services.responses import NotShown, ResponseMeta

WAITING = Reading((SourceReading(1, "hand\nbook", listed=2, waiting=1, unlisted=True),))


def meta(reading: Reading, withheld: int = 0) -> ResponseMeta:
    return ResponseMeta.of(
        Caller.local(), ResolvedContext(system_clock()), reading=reading, not_shown=NotShown(withheld)
    )


def shown(reading: Reading, withheld: int = 0) -> list[str]:
    text = Styled()
    text.line("1. a hit")
    return with_missing(text, meta(reading, withheld)).plain(str).split("\n")


def data(meta: ResponseMeta) -> dict[str, Any]:
    return ResponseMetaOut(**meta_fields(meta)).model_dump(mode="json", exclude_unset=True)


@pytest.mark.requirement("incomplete-in-every-result")
def test_a_text_begins_with_what_waits_on_one_line_and_the_data_count_it() -> None:
    first, *rest = shown(WAITING)
    assert first.startswith("Incomplete: 1 document waits to be read; hand")
    assert rest == ["1. a hit"]
    assert data(meta(WAITING))["incomplete"]["waiting"] == 1


@pytest.mark.requirement("incomplete-in-every-result")
def test_withheld_hits_are_told_first_too() -> None:
    assert shown(ALL_READ, withheld=2)[0].startswith("Incomplete: 2 hits withheld")
    assert data(meta(ALL_READ, withheld=2))["incomplete"]["withheld"] == 2


def test_a_complete_result_has_no_such_line() -> None:
    assert shown(ALL_READ) == ["1. a hit"]
    assert not {"incomplete", "empty_reason"} & set(data(meta(ALL_READ)))


def test_an_empty_result_says_why_in_the_data() -> None:
    empty = no_source()
    local = ResponseMeta.of(
        Caller.local(), ResolvedContext(system_clock()), reading=ALL_READ, not_shown=NotShown(empty=empty)
    )
    assert (data(local)["empty_reason"], data(local)["empty_message"]) == ("no_source", empty.text)
