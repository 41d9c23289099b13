"""What the record of agents' questions contributes."""

from typing import TYPE_CHECKING

from citemark.feature import Core, Feature
from citemark.features.agents.kept_calls_key import KEPT_CALLS

if TYPE_CHECKING:
    from citemark.cli.command_tree import CommandTree
    from citemark.features.agents.kept_calls import KeptCalls
    from citemark.settings import Settings
    from citemark.tools.seen_calls import CallObserver
    from citemark.tools.timed_calls import ServicesProvider
    from citemark.web.added_page import AddedPage


def _kept_calls(core: Core) -> "KeptCalls":
    from citemark.features.agents.kept_calls import KeptCalls
    from citemark.features.agents.store import AgentCallStore
    from citemark.model.scope import Principal

    settings, store = core.settings, core.stores.of(AgentCallStore)
    made = KeptCalls(
        store, Principal.local().tenant, core.clock, on=settings.agent_calls, days=settings.agent_calls_days
    )
    core.closing.push_async_callback(made.finish)
    return made


def _observer(settings: "Settings", services: "ServicesProvider") -> "CallObserver | None":
    if not settings.agent_calls:
        return None
    from citemark.features.agents.observer import AgentCallObserver

    return AgentCallObserver(services).seen


async def _purge(core: Core) -> None:
    await core.services.get(KEPT_CALLS).forget_overdue()


def _commands(tree: "CommandTree") -> None:
    from citemark.features.agents.options import asked

    tree.root.command()(asked)


def _pages() -> "tuple[AddedPage, ...]":
    from citemark.features.agents.agents_page import agents, forget_calls
    from citemark.web.added_page import AddedPage

    return (AddedPage(agents, "Agents", changes=(forget_calls,), for_owner=True),)


AGENTS = Feature(
    "agents",
    services={KEPT_CALLS: _kept_calls},
    purge=_purge,
    commands=_commands,
    pages=_pages,
    observer=_observer,
)
