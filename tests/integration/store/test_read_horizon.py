"""The read horizon stays behind every running writer, so that a state once read never changes."""

import asyncio
import random

import psycopg
import pytest
from tests.support.index import Index
from tests.support.patience import HANG_SECONDS

from citemark.store.database import Database

Writer = psycopg.AsyncConnection[tuple[object, ...]]


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def begin_writing(index: Index, dsn: str) -> tuple[Writer, object]:
    """A transaction of another process that has announced itself, and the moment it will record."""
    connection = await psycopg.AsyncConnection.connect(dsn)
    await connection.execute(index.database.queries["announce_writer"])
    row = await (await connection.execute("SELECT clock_timestamp()")).fetchone()
    assert row is not None
    return connection, row[0]


@pytest.mark.requirement("as-of-stops-at-writers-horizon")
@pytest.mark.parametrize("end", ["commit", "rollback", "kill"])
async def test_a_running_writer_holds_the_horizon_back_until_it_ends(index: Index, dsn: str, end: str) -> None:
    writer, moment = await begin_writing(index, dsn)
    held = [await index.stores.horizon.now() for _ in range(3)]
    assert all(horizon < moment for horizon in held)  # type: ignore[operator]
    match end:
        case "commit":
            await writer.commit()
        case "rollback":
            await writer.rollback()
        case _:
            await index.value("SELECT pg_terminate_backend(%s)", writer.info.backend_pid)
    async with asyncio.timeout(HANG_SECONDS):
        while await index.stores.horizon.now() < moment:  # type: ignore[operator]
            pass
    await writer.close()


async def test_the_oldest_of_several_writers_counts(index: Index, dsn: str) -> None:
    old, oldest = await begin_writing(index, dsn)
    new, _ = await begin_writing(index, dsn)
    await new.commit()
    assert await index.stores.horizon.now() < oldest  # type: ignore[operator]
    for writer in (old, new):
        await writer.close()


async def test_writers_of_another_database_hold_nothing_back(index: Index, server_dsn: str) -> None:
    writer, moment = await begin_writing(index, server_dsn)
    assert await index.stores.horizon.now() > moment  # type: ignore[operator]
    await writer.close()


@pytest.mark.requirement("as-of-stops-at-writers-horizon")
async def test_the_state_visible_at_a_horizon_never_changes(index: Index) -> None:
    states: dict[object, list[object]] = {}

    async def state_at(horizon: object) -> list[object]:
        found: list[object] = []
        for table, key in (("document", "document_id"), ("revision", "revision_id"), ("chunk", "chunk_id")):
            found += await index.rows(
                f"SELECT '{table}', {key} FROM {table} WHERE valid_from <= %s AND valid_to > %s ORDER BY 2",  # type: ignore[arg-type]  # noqa: S608
                horizon,
                horizon,
            )
        return found

    async def write(name: str) -> None:
        writer = Index(index.database, worker=name)
        source = await index.source(name)
        chance = random.Random(name)
        for n in range(12):
            if n and chance.random() < 0.2:
                await writer.drop(source, name)
            else:
                await writer.put(source, name, f"# One\n{name} {n}\n")

    async def read() -> None:
        while len(states) < 40:
            horizon = await index.stores.horizon.now()
            states[horizon] = await state_at(horizon)

    await asyncio.gather(*(write(f"{n}.md") for n in range(2)), read())
    assert len({len(state) for state in states.values()}) > 1, "the writers and the reader did not meet"
    for horizon, state in states.items():
        assert await state_at(horizon) == state
