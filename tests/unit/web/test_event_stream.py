"""Events that say when what a page shows has changed."""

import pytest

from citemark.web.event_stream import CHANGED, Streams


@pytest.mark.requirement("page-stream")
async def test_an_event_comes_at_once_and_whenever_what_is_seen_changes() -> None:
    seen = iter([{"waiting": 2}, {"waiting": 2}, {"waiting": 2}, {"waiting": 1}])

    async def look() -> dict[str, int]:
        return next(seen)

    events = Streams(look_seconds=0).changes(look)
    assert await anext(events) == CHANGED
    assert await anext(events) == CHANGED
    assert next(seen, None) is None, "all was looked at before the second event"
    await events.aclose()


async def test_a_stream_without_changes_says_so_now_and_then_and_ends_after_a_while() -> None:
    async def look() -> dict[str, int]:
        return {}

    events = [event async for event in Streams(look_seconds=0).changes(look)]
    assert events[0] == CHANGED
    assert len(events) > 10
    assert set(events[1:]) == {":\n\n"}


async def test_the_end_of_a_server_ends_its_streams_and_no_other_is_opened() -> None:
    async def look() -> dict[str, int]:
        return {}

    streams = Streams(look_seconds=3600)
    events = streams.changes(look)
    assert await anext(events) == CHANGED
    streams.end()
    assert [event async for event in events] == []
    assert streams.full
