"""Which state a call reads, and how those that cannot be read are told."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from tests.support.in_memory_stores import NOW, InMemoryStores

from citemark.model.baselines import Baseline, BaselineSource, HistoryRange
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.scope import ReadContext
from citemark.model.sources import AllowedSources, Source
from citemark.retrieval.read_contexts import ReadContexts

SOURCE = SourceId(1)
ALLOWED = AllowedSources((Source(SOURCE, "local", "docs", "memory"),), 10, 100)


class Kept(InMemoryStores):
    """An index with baselines of its one source."""

    def __init__(self, *names: str) -> None:
        super().__init__(active=None)
        self._kept = [Baseline(name, NOW, NOW, (BaselineSource(SOURCE),)) for name in names]

    async def named(self, tenant: str, name: str) -> Baseline | None:
        return next((each for each in self._kept if each.name == name), None)

    async def all_baselines(self, tenant: str) -> list[Baseline]:
        return self._kept


def contexts(*names: str) -> ReadContexts:
    kept = Kept(*names)
    return ReadContexts(kept, kept)


@pytest.mark.parametrize(("count", "ending"), [(20, "b19."), (21, "b19 and 1 more."), (30, "b19 and 10 more.")])
async def test_an_error_names_twenty_baselines_and_counts_the_others(count: int, ending: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        await contexts(*(f"b{number}" for number in range(count))).open(ReadContext(baseline_id="b"), ALLOWED)
    assert str(refused.value).endswith(ending)


async def test_without_baselines_an_error_says_how_one_is_made() -> None:
    with pytest.raises(InvalidArgument, match=r"there are none: `citemark baseline create NAME` creates one"):
        await contexts().open(ReadContext(baseline_id="b"), ALLOWED)


async def test_an_error_shows_the_first_eighty_characters_of_a_name() -> None:
    with pytest.raises(InvalidArgument) as refused:
        await contexts().open(ReadContext(baseline_id="n" * 100), ALLOWED)
    assert refused.value.details == {"baseline_id": "n" * 80}


@pytest.mark.parametrize(("seconds", "notes"), [(1, 0), (2, 1)])
async def test_a_future_moment_is_read_as_of_now_and_noted_when_more_than_a_second_ahead(
    seconds: int, notes: int
) -> None:
    opened = await contexts().open(ReadContext(as_of=NOW + timedelta(seconds=seconds)), ALLOWED)
    assert opened.context.as_of == NOW
    assert opened.allowed == ALLOWED
    assert len(opened.notes) == notes


@pytest.mark.requirement("diff-counts-left-out")
async def test_a_moment_names_twenty_sources_that_lack_it_and_counts_the_others() -> None:
    class Forgetful(Kept):
        async def history_ranges(self, source_ids: Sequence[int], moment: datetime) -> list[HistoryRange]:
            return [
                HistoryRange(SourceId(each), each == SOURCE, None, NOW - timedelta(days=9), each != SOURCE)
                for each in source_ids
            ]

    kept = Forgetful()
    sources = tuple(Source(SourceId(number), "local", f"s{number}", "memory") for number in range(1, 25))
    moment = NOW - timedelta(days=1)
    opened = await ReadContexts(kept, kept).open(ReadContext(as_of=moment), AllowedSources(sources, 10, 100))
    assert opened.allowed.ids == [SOURCE]
    assert len(opened.notes) == 21
    assert opened.notes[0] == "left out: s2 keeps no history and has changed since"
    assert opened.notes[-1] == "left out as well: 3 more sources"
