"""`citemark impact`: what a change of an element touches, and what mentions any of that."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from citemark.cli.command_context import CommandContext
from citemark.cli.missing import with_missing
from citemark.cli.search_command import local_files
from citemark.cli.styled import Styled, bold, faint
from citemark.features.graph.results.affected import impact_out, no_dependents
from citemark.features.graph.services.impact import Dependent, Impact, ImpactMention
from citemark.features.graph.services.keys import IMPACT
from citemark.features.graph.services.requests import ImpactRequest
from citemark.features.graph.services.responses import NodeCard
from citemark.model.graph import SHOWS
from citemark.model.walks import Node
from citemark.results.written import as_json
from citemark.services.app_context import AppContext
from citemark.services.asked_states import state_asked
from citemark.services.requests import Caller
from citemark.text.citation_line import line_of


@dataclass(frozen=True, slots=True)
class ImpactRequested:
    """The changed element, how far to look, and in which state."""

    wanted: str
    source: str | None
    max_hops: int
    as_of: str | None = None
    baseline: str | None = None


async def impact_command(run: CommandContext, app: AppContext, wish: ImpactRequested) -> int:
    """Show what depends on an element, with paths, and what mentions any of it.

    Raises:
        InvalidArgument: there is no such element or state.
    """
    files = await local_files(app)
    request = ImpactRequest(
        wish.wanted, wish.source, read_context=state_asked(wish.as_of, wish.baseline), max_hops=wish.max_hops
    )
    impact = await app.services.get(IMPACT).of(Caller.local(), request)
    run.show(as_json(impact_out(impact), files), _text(impact))
    return 0


def _text(impact: Impact) -> Styled:
    text = Styled()
    text.line(bold(_label(impact.changed)), f"  ({impact.changed.node_id})")
    text.line()
    if impact.dependents:
        text.line(f"Depends on it ({len(impact.dependents)}):")
        titles = {card.node: card.title for card in (impact.changed, *(each.card for each in impact.dependents))}
        for each in impact.dependents:
            text.extend(_dependent(each, titles))
            text.line("      ", faint(f"[{line_of(each.path[-1].citation, named=True)}]"))
    else:
        text.line(no_dependents(impact.changed, impact.meta))
    views = [each for each in impact.mentions if each.edge.edge.type == SHOWS]
    others = [each for each in impact.mentions if each.edge.edge.type != SHOWS]
    for title, some in (("Mentioned in", others), ("Shown in", views)):
        if some:
            text.line()
            text.line(f"{title}:")
            for mentions in _grouped(some):
                first = mentions[0]
                names = ", ".join(dict.fromkeys(each.of.title for each in mentions))
                text.line(f"  {_label(first.card)}  {first.edge.edge.type} {names}")
                text.line("      ", faint(f"[{line_of(first.edge.citation, named=True)}]"))
    text.extend(f"Note: {note}" for note in impact.meta.notes)
    return with_missing(text, impact.meta)


def _dependent(dependent: Dependent, titles: Mapping[Node, str]) -> Iterator[str]:
    yield f"  {'  ' * (dependent.card.hops - 1)}{_label(dependent.card)}"
    edge = dependent.path[-1].edge
    before = edge.end if edge.start == dependent.card.node else edge.start
    arrow = f"<--{edge.type}--" if edge.start == before else f"--{edge.type}-->"
    yield f"      {'  ' * (dependent.card.hops - 1)}{arrow} {titles.get(before, before.name)}"


def _grouped(mentions: Iterable[ImpactMention]) -> list[list[ImpactMention]]:
    """The mentions, grouped by the node that contains them and by the type of their edge."""
    groups: dict[tuple[str, str], list[ImpactMention]] = {}
    for mention in mentions:
        groups.setdefault((mention.card.node_id, mention.edge.edge.type), []).append(mention)
    return list(groups.values())


def _label(card: NodeCard) -> str:
    return f"{card.title} ({card.element_type or card.node.kind})"
