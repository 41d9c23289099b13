"""What a command makes of the stores and services of an index: what it needs, and no more."""

from pathlib import Path

import pytest

from citemark.app.features import FEATURES, families_of
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.command_context import CommandContext
from citemark.features.agents.kept_calls_key import KEPT_CALLS
from citemark.features.answers.declaration import ANSWERS_FEATURE
from citemark.features.docs.declaration import DOCS
from citemark.model.errors import ConfigurationError
from citemark.model.sources import NewSource
from citemark.services.answer_keys import ANSWERS
from citemark.services.history_keys import HISTORY
from citemark.services.question_rephrasing import REPHRASING
from citemark.services.requests import Caller, SearchRequest
from citemark.services.source_history import SOURCE_HISTORY
from citemark.settings import Settings
from citemark.tools.index_contents import ToolGroups
from citemark.tools.tool_catalog import tools_of

RUN = CommandContext(open_app, json=True, quiet=True)


@pytest.mark.requirement("adding-docs-makes-what-it-needs")
async def test_adding_a_folder_makes_one_service_and_no_store_that_only_questions_need(
    dsn: str, tmp_path: Path
) -> None:
    root = tmp_path / "handbook"
    root.mkdir()
    (root / "ports.md").write_text("# Ports\n\nThe server listens on port 4711.\n", "utf-8")
    async with open_app(Settings(database_url=dsn)) as app:  # pyright: ignore[reportArgumentType]
        assert app.services.made == frozenset()
        asked = DocsRequest(path=root, language="english")
        assert await add_docs_source(RUN, app, asked, sync=True) == 0
        # What is due is forgotten after a sync: old states, and what agents asked before that was switched off.
        assert app.services.made == {HISTORY, SOURCE_HISTORY, KEPT_CALLS}
        assert app.services.get(SOURCE_HISTORY) is app.services.get(HISTORY)
        made = {store.__name__ for store in app.stores.made}  # pyright: ignore[reportFunctionMemberAccess]
    indexing = {"Ledger", "PageStore", "RenameStore", "SegmentStore", "VectorStore", "RandomPairs", "MentionStore"}
    state = {"SourceStore", "ScopeStore", "StatusStore", "LinkStore", "HorizonStore", "BaselineStore", "GraphStore"}
    after_a_sync = {"HistoryStore", "AccountStore", "AgentCallStore"}
    assert made == indexing | state | after_a_sync


@pytest.mark.requirement("no-import-of-a-feature")
async def test_the_core_reads_and_finds_a_folder_without_any_other_feature(dsn: str, tmp_path: Path) -> None:
    (tmp_path / "ports.md").write_text("# Ports\n\nThe server listens on port 4711.\n", "utf-8")
    async with open_app(Settings(database_url=dsn)) as app:  # pyright: ignore[reportArgumentType]
        core = type(app)(app.settings, app.stores, app.embedder, features=(DOCS,))
        source = await core.sources.add(NewSource("handbook", "docs", {"root": str(tmp_path)}))
        await core.sync({source.source_id: source})
        found = await core.services.search.find(Caller.local(), SearchRequest("Which port does the server listen on?"))
        assert [hit.title for hit in found.hits] == ["Ports"]
        tools = tools_of(families_of((DOCS,)), ToolGroups(), app.settings)
        assert {tool.name.partition(".")[0] for tool in tools} == {"kb"}
        core.close()


@pytest.mark.requirement("features-are-contributions")
async def test_a_program_without_a_feature_says_which_service_it_lacks(dsn: str) -> None:
    async with open_app(Settings(database_url=dsn)) as app:  # pyright: ignore[reportArgumentType]
        assert ANSWERS_FEATURE in app.features
        features = tuple(feature for feature in FEATURES if feature is not ANSWERS_FEATURE)
        smaller = type(app)(app.settings, app.stores, app.embedder, features=features)
        with pytest.raises(ConfigurationError, match="without answers"):
            smaller.services.get(ANSWERS)
        assert smaller.services.optional(REPHRASING) is None
        assert app.services.optional(REPHRASING) is app.services.get(ANSWERS).rephrasing
        smaller.close()
