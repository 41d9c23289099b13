"""Which segments are merged, and when."""

import random

from citemark.store.segments import to_merge

_LARGEST = 16_384


def test_seven_small_segments_are_left_alone_and_eight_are_merged() -> None:
    assert to_merge([(number, 3) for number in range(7)]) == []
    assert to_merge([(number, 3) for number in range(8)]) == list(range(8))


def test_only_segments_of_about_one_size_are_merged() -> None:
    assert to_merge([(number, 3) for number in range(7)] + [(7, 600), (8, 5000), (9, 30_000)]) == []
    assert to_merge([(number, 600 + number) for number in range(8)] + [(9, 3), (10, 9000)]) == list(range(8))


def test_the_smallest_come_first_and_no_segment_grows_beyond_the_limit() -> None:
    assert to_merge([(number, 8000 - number) for number in range(9)]) == [8, 7]


def test_segments_that_are_large_are_final() -> None:
    assert to_merge([(number, 20_000) for number in range(40)]) == []


def test_however_chunks_come_segments_stay_few_and_each_chunk_is_moved_a_few_times() -> None:
    chance = random.Random(5)
    sizes: dict[int, int] = {}
    moved = written = 0
    for number in range(3000):
        size = chance.choice([1, 2, 40, 800])
        sizes[number] = size
        written += size
        while chosen := to_merge(list(sizes.items())):
            merged = sum(sizes.pop(each) for each in chosen)
            assert merged <= _LARGEST
            moved += merged
            sizes[10_000_000 + moved] = merged
        assert len(sizes) <= 3 * 7 + written // 8192 + 1
    assert moved < 5 * written
