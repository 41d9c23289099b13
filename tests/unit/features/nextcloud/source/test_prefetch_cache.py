"""What is kept for the reader that comes next: once, of one version, for a while, and not too much."""

from citemark.features.nextcloud.source.prefetch_cache import PrefetchCache


def kept(*, most: int = 100, seconds: float = 900.0) -> PrefetchCache[str]:
    return PrefetchCache(len, most=most, seconds=seconds)


async def test_a_prefetched_item_is_returned_once_and_only_the_newest_of_a_key() -> None:
    prefetched = kept()
    prefetched.put("one", "1", "older")
    prefetched.put("one", "2", "newer")
    assert prefetched.take("one") == "newer"
    assert prefetched.take("one") is None


async def test_a_prefetched_item_is_dropped_when_the_server_has_another_version_or_none() -> None:
    prefetched = kept()
    for key in ("same", "other", "gone"):
        prefetched.put(key, "1", key)
    prefetched.discard_stale("same", "1")
    prefetched.discard_stale("other", "2")
    prefetched.discard_stale("gone", None)
    prefetched.discard_stale("never there", "1")
    assert [prefetched.take(key) for key in ("same", "other", "gone")] == ["same", None, None]


async def test_a_complete_listing_leaves_only_what_it_shows_in_that_version() -> None:
    prefetched = kept()
    for key in ("same", "other", "gone"):
        prefetched.put(key, "1", key)
    prefetched.discard_all_stale({"same": "1", "other": "2", "new": "1"})
    assert [prefetched.take(key) for key in ("same", "other", "gone")] == ["same", None, None]


async def test_prefetched_items_expire_and_free_their_space() -> None:
    prefetched = kept(most=10, seconds=0.0)
    prefetched.put("one", "1", "x" * 10)
    assert not prefetched.has_room_for("x")
    prefetched.discard_expired()
    assert prefetched.has_room_for("x" * 10)
    prefetched.put("one", "1", "x" * 10)
    assert prefetched.take("one") is None


async def test_the_oldest_make_room_and_what_is_too_large_alone_is_not_kept() -> None:
    prefetched = kept(most=10)
    prefetched.put("one", "1", "x" * 6)
    prefetched.put("two", "1", "x" * 4)
    assert not prefetched.has_room_for("x")
    prefetched.put("three", "1", "x" * 5)
    assert [prefetched.take(key) for key in ("one", "two", "three")] == [None, "x" * 4, "x" * 5]
    prefetched.put("large", "1", "x" * 11)
    assert prefetched.take("large") is None
    assert prefetched.has_room_for("x" * 10)
