"""Events that say when what a page shows has changed."""

import asyncio

import anyio
import pytest
from tests.support.cancellations import Endless

from citemark.web.event_stream import CHANGED, Streams, Words


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


@pytest.mark.requirement("page-ask-streams")
async def test_a_slow_reader_gets_the_latest_words_and_then_the_page() -> None:
    words, go_on = Words(), asyncio.Event()

    async def made() -> str:
        words.put("Nine")
        words.put("Nine <litres>")
        await go_on.wait()
        return "<p>Nine litres</p>"

    events = words.events(made())
    assert await anext(events) == 'event: words\ndata: "Nine <litres>"\n\n'
    go_on.set()
    assert await anext(events) == 'event: answer\ndata: "<p>Nine litres</p>"\n\n'
    assert [event async for event in events] == []


async def test_a_page_that_is_not_made_is_said_to_have_failed() -> None:
    async def made() -> None:
        return None

    assert [event async for event in Words().events(made())] == ['event: failed\ndata: ""\n\n']


async def test_what_nobody_waits_for_any_more_is_given_up_and_a_quiet_stream_says_so() -> None:
    ended: list[str] = []

    async def made() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("given up")
        return ""

    events = Words(quiet_seconds=0).events(made())
    assert await anext(events) == ":\n\n"
    await events.aclose()
    assert ended == ["given up"]


@pytest.mark.requirement("page-stream", "cancelled-calls-cost-nothing-else")
async def test_a_look_is_cancelled_once_and_waited_for_if_its_reader_goes_away() -> None:
    endless = Endless()

    async def look() -> dict[str, int]:
        await endless.run()
        return {}

    async def read() -> None:
        async for _ in Streams().changes(look):
            pass

    async with anyio.create_task_group() as tasks:  # as a web server runs the making of a stream
        tasks.start_soon(read)
        await endless.begun.wait()
        tasks.cancel_scope.cancel()
    assert endless.cancellations == 1
