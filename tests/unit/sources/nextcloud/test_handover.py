"""What is kept for the reader that comes next: once, of one version, for a while, and not too much."""

from citemark.sources.nextcloud.handover import Handover


def kept(*, most: int = 100, seconds: float = 900.0) -> Handover[str]:
    return Handover(len, most=most, seconds=seconds)


async def test_a_thing_is_given_out_once_and_the_newest_under_its_key() -> None:
    handover = kept()
    handover.put("one", "1", "older")
    handover.put("one", "2", "newer")
    assert handover.take("one") == "newer"
    assert handover.take("one") is None


async def test_another_version_at_the_server_and_none_at_all_make_it_forgotten() -> None:
    handover = kept()
    for key in ("same", "other", "gone"):
        handover.put(key, "1", key)
    handover.agree("same", "1")
    handover.agree("other", "2")
    handover.agree("gone", None)
    handover.agree("never there", "1")
    assert [handover.take(key) for key in ("same", "other", "gone")] == ["same", None, None]


async def test_a_complete_listing_leaves_only_what_it_shows_in_that_version() -> None:
    handover = kept()
    for key in ("same", "other", "gone"):
        handover.put(key, "1", key)
    handover.agree_all({"same": "1", "other": "2", "new": "1"})
    assert [handover.take(key) for key in ("same", "other", "gone")] == ["same", None, None]


async def test_what_nobody_came_for_in_time_is_forgotten_and_its_room_is_free() -> None:
    handover = kept(most=10, seconds=0.0)
    handover.put("one", "1", "x" * 10)
    assert not handover.fits("x")
    handover.expire()
    assert handover.fits("x" * 10)
    handover.put("one", "1", "x" * 10)
    assert handover.take("one") is None


async def test_the_oldest_make_room_and_what_is_too_large_alone_is_not_kept() -> None:
    handover = kept(most=10)
    handover.put("one", "1", "x" * 6)
    handover.put("two", "1", "x" * 4)
    assert not handover.fits("x")
    handover.put("three", "1", "x" * 5)
    assert [handover.take(key) for key in ("one", "two", "three")] == [None, "x" * 4, "x" * 5]
    handover.put("large", "1", "x" * 11)
    assert handover.take("large") is None
    assert handover.fits("x" * 10)
