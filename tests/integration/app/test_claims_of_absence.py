"""Whatever waits, changed or failed in several sources at once: nothing is called absent too early."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.developer_folder import write
from tests.support.groups import groups
from tests.unit.tools.clients import connected, text_of

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.ask_command import TypedQuestion, ask_command
from citemark.cli.command_context import CommandContext
from citemark.cli.search_command import TypedSearch, evidence_command, search_command
from citemark.evidence.budget import EvidenceLimits
from citemark.services.answer_keys import ANSWERS
from citemark.settings import Settings
from citemark.store.database import Database

AS_TEXT, AS_JSON = CommandContext(open_app, quiet=True), CommandContext(open_app, quiet=True, json=True)
TEXTS = {
    "plants": {"portal.md": "# Portal\n\nThe portal takes claims.\n", "fern.md": "# Fern\n\nFerns need shade.\n"},
    "pumps": {"pump.md": "# Feed pump\n\nThe feed pump is primed with nine litres of water.\n"},
}
QUESTIONS = ("Who maintains the Zyzzyva of the portal?", "How is the feed pump primed?", "What does a rudder cost?")

CLAIM = re.compile(
    r"\b[Nn]o document (?:read )?here\b|documents do not say|everything in scope|none of [\d,]+ documents"
    r"|No relevant documents|no longer exists|passages do not say"
)

Change = Callable[[Database, int, Path], Awaitable[None]]


async def queue(database: Database, source_id: int, root: Path) -> None:
    await _run(
        database, "INSERT INTO item (source_id, doc_type, native_id, wanted_version) VALUES (%s, 'page', 'x', '1')",
        source_id,
    )  # fmt: skip


async def alter(database: Database, source_id: int, root: Path) -> None:
    await _run(
        database, "UPDATE item SET wanted_version = 'other' WHERE source_id = %s AND indexed_version IS NOT NULL",
        source_id,
    )  # fmt: skip


async def fail(database: Database, source_id: int, root: Path) -> None:
    await _run(
        database,
        "WITH failed AS (INSERT INTO item (source_id, doc_type, native_id, wanted_version, parked, error)"
        " VALUES (%s, 'page', 'y', '1', true, 'It is damaged.') RETURNING source_id)"
        " INSERT INTO problem (source_id, stage, native_id, message)"
        " SELECT source_id, 'text', 'y', 'It is damaged.' FROM failed",
        source_id,
    )


async def withhold(database: Database, source_id: int, root: Path) -> None:
    await asyncio.to_thread(root.rename, root.with_suffix(".away"))


async def never_scan(database: Database, source_id: int, root: Path) -> None:
    await _run(database, "UPDATE scan SET last_complete_at = NULL WHERE source_id = %s", source_id)


async def break_off(database: Database, source_id: int, root: Path) -> None:
    await _run(database, "UPDATE scan SET reason = 'the folder cannot be listed' WHERE source_id = %s", source_id)


STATES: Mapping[str, Change] = {
    "waiting": queue,
    "changed": alter,
    "failed": fail,
    "withheld": withhold,
    "never scanned": never_scan,
    "broken off": break_off,
}
FORBIDDING = frozenset({"waiting", "changed", "never scanned", "broken off"})
"""States in which something may hold what was not found; withheld hits forbid claims where there are any."""


async def _run(database: Database, statement: str, source_id: int) -> None:
    async with database.transaction() as connection:
        await connection.execute(statement, (source_id,))  # type: ignore[call-overload]


@dataclass
class Index:
    """An index of two folders whose state can be changed and put back."""

    app: App
    roots: Mapping[str, Path]
    ids: dict[str, int] = field(default_factory=dict[str, int])

    async def enter(self, states: Mapping[str, AbstractSet[str]]) -> None:
        for name, drawn in states.items():
            for state in sorted(drawn):
                await STATES[state](self.app.stores.database, self.ids[name], self.roots[name])

    async def leave(self) -> None:
        for name, source_id in self.ids.items():
            away = self.roots[name].with_suffix(".away")
            if away.exists():
                away.rename(self.roots[name])
            for statement in (
                "DELETE FROM item WHERE source_id = %s AND indexed_version IS NULL",
                "UPDATE item SET wanted_version = indexed_version WHERE source_id = %s",
                "DELETE FROM problem WHERE source_id = %s",
                "UPDATE scan SET reason = '', last_complete_at = clock_timestamp() WHERE source_id = %s",
            ):
                await _run(self.app.stores.database, statement, source_id)


@pytest.fixture
async def index(dsn: str, tmp_path: Path) -> AsyncGenerator[Index, None]:
    async with open_app(Settings(database_url=dsn)) as app:  # pyright: ignore[reportArgumentType]
        roots = {name: tmp_path / name for name in TEXTS}
        for name, texts in TEXTS.items():
            for path, text in texts.items():
                write(roots[name], path, text)
            wanted: dict[str, Any] = {"language": "english", "overlapping": False}
            assert await add_docs_source(AS_JSON, app, DocsRequest(path=roots[name], **wanted), sync=True) == 0
        ids = {source.name: int(source.source_id) for source in await app.sources.all()}
        yield Index(app, roots, ids)


async def shown(index: Index, question: str, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, dict[str, Any]]]:
    """What each face shows: its text, and its data."""
    found: list[tuple[str, dict[str, Any]]] = []
    async with connected(index.app.services, families=groups(), answers=index.app.services.get(ANSWERS)) as client:
        for tool, argument in (("kb_search", "query"), ("kb_retrieve_evidence", "question"), ("kb_answer", "question")):
            result = await client.call_tool(tool, {argument: question})
            assert not result.is_error, text_of(result)
            found.append((text_of(result), dict(result.structured_content or {})))
    search = TypedSearch(question, 5, 2, None)
    asked = TypedQuestion(question, 5, 500, None)
    commands: tuple[Callable[[CommandContext], Awaitable[int]], ...] = (
        lambda run: search_command(run, index.app, search, why=False),
        lambda run: evidence_command(run, index.app, search, EvidenceLimits()),
        lambda run: ask_command(run, index.app, asked),
    )
    for command in commands:
        capsys.readouterr()
        await command(AS_TEXT)
        text = capsys.readouterr().out
        await command(AS_JSON)
        found.append((text, json.loads(capsys.readouterr().out)))
    return found


@pytest.mark.requirement("nothing-absent-in-any-state", "nothing-absent-while-waiting", "failed-beside-absence")
@settings(max_examples=12)
@given(
    states=st.fixed_dictionaries({name: st.sets(st.sampled_from(sorted(STATES)), max_size=3) for name in TEXTS}),
    question=st.sampled_from(QUESTIONS),
)
async def test_no_face_calls_anything_absent_while_any_source_may_hold_it(
    index: Index, capsys: pytest.CaptureFixture[str], states: Mapping[str, AbstractSet[str]], question: str
) -> None:
    drawn = frozenset[str]().union(*states.values())
    await index.enter(states)
    try:
        results = await shown(index, question, capsys)
    finally:
        await index.leave()
    for text, data in results:
        claims = CLAIM.findall(f"{text}\n{json.dumps(data)}")
        incomplete = data.get("incomplete", {})
        open_ones = sum(incomplete.get(key, 0) for key in ("waiting", "changed", "withheld"))
        if drawn & FORBIDDING:
            assert open_ones > 0, (text, data)
        if open_ones:
            assert text.startswith("Incomplete: "), text
            assert not claims, (text, data)
        else:
            assert "what has been read so far" not in text
            assert not claims or "failed" not in drawn or "could not be read" in text, text


async def test_what_is_nowhere_is_called_absent_by_every_face_once_everything_is_read(
    index: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    results = await shown(index, QUESTIONS[0], capsys)
    assert all(CLAIM.search(text) for text, _ in results), results
