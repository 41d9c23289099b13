"""Moments that a person says, and the states that names mean."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest
from tests.support.in_memory_services import ME

from citemark.model.errors import InvalidArgument, UnknownCursor
from citemark.model.scope import ReadContext
from citemark.services.asked_states import parse_moment, selected, state_asked
from citemark.services.requests import DiffRequest
from citemark.services.state_pairs import StatePairs

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize("said", ["2026-01-31T12:00:00", "2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00"])
def test_a_moment_without_an_offset_is_in_utc(said: str) -> None:
    assert parse_moment(said) == NOON
    assert selected(f" {said} ") == ReadContext(as_of=NOON)
    assert state_asked(said, None) == ReadContext(as_of=NOON)


def test_a_name_is_a_state_of_now_or_a_baseline() -> None:
    assert selected(" head ") == ReadContext()
    assert selected("v1.0") == ReadContext("v1.0") == state_asked(None, "v1.0")
    assert state_asked(None, None) == ReadContext()


@pytest.mark.parametrize("said", ["yesterday", "0001-01-01T00:00:00+14:00"])
def test_a_malformed_moment_is_refused(said: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_moment(said)


def test_two_states_at_once_are_refused() -> None:
    with pytest.raises(InvalidArgument):
        state_asked("2026-01-31T12:00:00Z", "v1.0")


async def test_a_cursor_in_the_form_of_another_version_is_unknown() -> None:
    class Kept:
        async def place(self, *_: object) -> dict[str, str]:
            return {"before": "yesterday"}

    nobody = cast("Any", None)
    with pytest.raises(UnknownCursor):
        await StatePairs(nobody, nobody, nobody, cast("Any", Kept())).open(ME, DiffRequest("HEAD", "v1", cursor="c"))
