"""In which sessions a client is asked for its model."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from citemark.tools.sampling import DeclinedSessions

STDIO = cast("Any", SimpleNamespace(request=None))
NO_SESSION = cast("Any", SimpleNamespace(request=SimpleNamespace(headers={})))


@pytest.mark.requirement("declining-2026-client-gets-quotes-at-once")
def test_a_call_that_was_made_together_with_one_that_waits_for_its_person_is_no_refusal() -> None:
    now = 0.0
    sessions = DeclinedSessions(lambda: now)
    sessions.note_asked(STDIO)
    now = 1.0
    sessions.note_asked(STDIO)
    assert STDIO not in sessions
    now = 2.5
    assert STDIO in sessions, "it goes on with another call, so its person has declined"
    sessions.note_returned(STDIO)
    assert STDIO not in sessions, "they agreed after all"


def test_nothing_is_remembered_of_a_call_without_a_session() -> None:
    now = 0.0
    sessions = DeclinedSessions(lambda: now)
    for note in (sessions.note_asked, sessions.note_returned, sessions.note_asked, sessions.add):
        note(NO_SESSION)
    now = 3600.0
    assert NO_SESSION not in sessions
