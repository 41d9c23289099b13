"""What history contributes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemark.feature import Core, Feature
from citemark.services.bundle import STATE_PAIRS
from citemark.services.history_keys import BASELINES, DOCUMENT_DIFF, HISTORY, REPOSITORY_BASELINES
from citemark.services.source_history import SOURCE_HISTORY
from citemark.tools.families import PAST, ToolFamily

if TYPE_CHECKING:
    from citemark.cli.command_tree import CommandTree
    from citemark.model.sources import AllowedSources
    from citemark.services.document_diff import DocumentDiffService
    from citemark.services.history_keeping import HistoryService
    from citemark.services.named_states import BaselineService
    from citemark.services.repository_baselines import RepositoryBaselineService
    from citemark.tools.index_contents import ToolGroups
    from citemark.tools.prompts import FilledPrompt
    from citemark.tools.registry import Tool
    from citemark.web.added_page import AddedPage

_FILES_OF_A_REQUEST = 10
"""How many times as long as a file a request about a whole repository may take: its tags, or the files of a commit."""


def _history(core: Core) -> "HistoryService":
    from citemark.services.history_keeping import HistoryService
    from citemark.store.history import HistoryStore

    return HistoryService(core.stores.of(HistoryStore), core.stores.segments, core.stores.sources)


def _baselines(core: Core) -> "BaselineService":
    from citemark.services.named_states import BaselineService

    stores = core.stores
    return BaselineService(stores.baselines, stores.sources, stores.horizon, core.scoping, core.clock)


def _document_diff(core: Core) -> "DocumentDiffService":
    from citemark.services.document_diff import DocumentDiffService
    from citemark.store.changes import ChangeStore

    pairs, stores = core.services.get(STATE_PAIRS), core.stores
    return DocumentDiffService(pairs, stores.of(ChangeStore), stores.search, core.access)


def _repository_baselines(core: Core) -> "RepositoryBaselineService":
    from citemark.extraction.sandbox.process import Limits
    from citemark.indexing.repository_states import RepositoryStates
    from citemark.model.sources import Source
    from citemark.services.repository_baselines import RepositoryBaselineService
    from citemark.store.repository_pages import RepositoryPages

    pages, indexing = core.stores.of(RepositoryPages, core.stores.baselines), core.indexing

    def states_of(source: Source) -> RepositoryStates:
        return RepositoryStates(source, pages, indexing.tokenizer, indexing.detector)

    return RepositoryBaselineService(
        pages=pages,
        baselines=core.stores.baselines,
        kinds=core.kinds,
        connector_over=indexing.connector_over,
        states_of=states_of,
        embed=indexing.finish_texts,
        max_file_bytes=core.settings.max_file_mib * 1024 * 1024,
        limits=Limits(_FILES_OF_A_REQUEST * core.settings.parse_seconds, core.settings.parse_memory_mib),
    )


async def _has_past(core: Core, _: "AllowedSources") -> bool:
    from citemark.model.scope import Principal

    return await core.stores.baselines.past_kept(Principal.local().tenant)


async def _purge(core: Core) -> None:
    await core.services.get(HISTORY).purge_overdue()


def _diff(_: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.tools.kb.diff_tool import DIFF

    return (DIFF,)


def _prompts() -> "Sequence[FilledPrompt]":
    from citemark.tools.kb.changes_prompt import WHAT_CHANGED

    return (WHAT_CHANGED,)


def _commands(tree: "CommandTree") -> None:
    from citemark.cli import history_options as options

    baseline = tree.group("baseline", "Names for states of the past.")
    baseline.command("create")(options.baseline_create)
    baseline.command("list")(options.baseline_list)
    baseline.command("show")(options.baseline_show)
    baseline.command("diff")(options.baseline_diff)
    baseline.command("delete")(options.baseline_delete)
    history = tree.group("history", "How long sources keep what was superseded.", alone=True)
    history.callback(invoke_without_command=True)(options.history_show)
    history.command("keep")(options.history_keep)
    history.command("purge")(options.history_purge)
    tree.root.command("open")(options.open_citation)


def _pages() -> "tuple[AddedPage, ...]":
    from citemark.web.added_page import AddedPage
    from citemark.web.time_page import differences, name_state, then, time

    return (AddedPage(time, "Time", changes=(name_state,)), AddedPage(then), AddedPage(differences))


HISTORY_FEATURE = Feature(
    "history",
    services={
        HISTORY: _history,
        SOURCE_HISTORY: lambda core: core.services.get(HISTORY),
        BASELINES: _baselines,
        DOCUMENT_DIFF: _document_diff,
        REPOSITORY_BASELINES: _repository_baselines,
    },
    purge=_purge,
    holds={PAST: _has_past},
    tools=(ToolFamily(_diff, frozenset({PAST}), prompts=_prompts),),
    commands=_commands,
    pages=_pages,
)
