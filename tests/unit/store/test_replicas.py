"""Which replica a question is read from."""

import asyncio
import re
from dataclasses import dataclass, field
from importlib.resources import files

import pytest

from citemark.model.errors import BackendUnavailable
from citemark.store.database import Queries, writes
from citemark.store.replicas import LogPosition, Replicas

POSITION = LogPosition(1, "0/100")


@dataclass
class Pool:
    """A replica that says what it is told to."""

    has: bool | Exception = True
    asked: list[LogPosition] = field(default_factory=list[LogPosition])
    is_open: bool = False

    async def open_lazily(self) -> None:
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False

    async def has_replayed(self, position: LogPosition) -> bool:
        self.asked.append(position)
        if isinstance(self.has, Exception):
            raise self.has
        return self.has


@pytest.mark.requirement("reads-on-replicas")
async def test_replicas_take_turns_and_those_that_are_behind_are_passed_over() -> None:
    first, behind, last = Pool(), Pool(has=False), Pool()
    replicas = Replicas([first, behind, last])
    await replicas.open()
    assert all(each.is_open for each in (first, behind, last))
    assert [await replicas.having(POSITION) for _ in range(4)] == [first, last, first, last]
    assert behind.asked == [POSITION, POSITION]
    first.has = last.has = False
    assert await replicas.having(POSITION) is None
    await replicas.close()
    assert not any(each.is_open for each in (first, behind, last))


@pytest.mark.requirement("reads-on-replicas")
def test_places_in_the_log_are_compared_as_numbers_and_only_on_one_timeline() -> None:
    here = LogPosition(2, "1/A0")
    reached = [LogPosition(2, "1/A0"), LogPosition(2, "0/FFFFFFFF"), LogPosition(2, "1/9F")]
    beyond = [LogPosition(2, "1/A1"), LogPosition(2, "10/0"), LogPosition(2, "1/100"), LogPosition(1, "0/0")]
    assert [here.reaches(other) for other in (*reached, *beyond)] == [True] * 3 + [False] * 4


@pytest.mark.requirement("reads-on-replicas")
async def test_a_replica_that_failed_is_left_alone_for_a_while() -> None:
    now = [0.0]
    gone = Pool(has=BackendUnavailable("gone"))
    replicas = Replicas([gone], seconds=lambda: now[0])
    assert await replicas.having(POSITION) is None
    gone.has = True
    assert await replicas.having(POSITION) is None
    assert len(gone.asked) == 1
    now[0] = 11
    assert await replicas.having(POSITION) is gone
    replicas.failed(gone, BackendUnavailable("lost during a read"))
    assert await replicas.having(POSITION) is None


@pytest.mark.requirement("reads-on-replicas")
async def test_a_replica_that_does_not_answer_holds_up_a_question_once() -> None:
    class Silent(Pool):
        async def has_replayed(self, position: LogPosition) -> bool:
            self.asked.append(position)
            await asyncio.Event().wait()
            return True

    silent = Silent()
    replicas = Replicas([silent], seconds=lambda: 0.0)
    assert [await replicas.having(POSITION) for _ in range(3)] == [None, None, None]
    assert len(silent.asked) == 1


@pytest.mark.requirement("reads-on-replicas")
def test_no_statement_for_replicas_writes_locks_or_reads_a_table_that_they_lack() -> None:
    queries = Queries()
    schema = files("citemark.store").joinpath("schema.sql").read_text("utf-8")
    lacking = set(re.findall(r"CREATE UNLOGGED TABLE (\w+)", schema))
    assert lacking
    there = [name for name in queries.names() if queries.on_replicas(name)]
    assert {"query_terms", "chunks_read", "state_candidates", "graph_nodes"} <= {*there}
    lack = re.compile(rf"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:{'|'.join(sorted(lacking))}|pg_locks)\b")
    for name in there:
        assert not writes(queries[name]), name
        assert not lack.search(queries[name]), name
        assert not re.search(r"\bFOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)\b|advisory|nextval|setval", queries[name]), name


@pytest.mark.requirement("reads-on-replicas")
def test_handles_and_notes_of_searches_leave_a_question_on_its_replica_and_other_writes_do_not() -> None:
    queries = Queries()
    kept = {name for name in queries.names() if writes(queries[name]) and not queries.writes_what_replicas_have(name)}
    assert {"passages_keep", "ranking_keep", "activity_note"} <= kept
    schema = files("citemark.store").joinpath("schema.sql").read_text("utf-8")
    lacking = set(re.findall(r"CREATE UNLOGGED TABLE (\w+)", schema))
    for name in kept:
        written = re.findall(r"(?:INSERT INTO|(?<!FOR )(?<!DO )UPDATE|DELETE FROM) (\w+)", queries[name])
        assert set(written) <= lacking, name
        assert written, name
