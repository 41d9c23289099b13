"""What a change touches: what depends on an element, over which edges, and what mentions any of that."""

from typing import TYPE_CHECKING, Any

from citemark.features.graph.results.graph_nodes import (
    EdgeOut,
    NodeOut,
    edge_line,
    edge_out,
    node_fields,
    node_line,
    node_out,
    numbers_of,
)
from citemark.model.architecture import ELEMENT
from citemark.results.common_parts import ResponseMetaOut, meta_fields, with_remarks

if TYPE_CHECKING:
    from citemark.features.graph.services.impact import Dependent, Impact, ImpactMention
    from citemark.features.graph.services.responses import NodeCard
    from citemark.services.responses import ResponseMeta


class DependentOut(NodeOut):
    """What depends on the changed element; `path` are the edges from that element to it."""

    path: list[EdgeOut]


class MentionOut(NodeOut):
    """What mentions the changed element or a dependent; `of` is the id of the node mentioned, `edge` says where."""

    of: str
    edge: EdgeOut


class ImpactOut(ResponseMetaOut):
    """What depends on `changed`, the nearest first, and what mentions any of it."""

    changed: NodeOut
    dependents: list[DependentOut]
    mentions: list[MentionOut]


def impact_out(impact: "Impact", meta: "ResponseMeta | None" = None, kept: int | None = None) -> ImpactOut:
    """What a change touches, as a result: the first `kept` of its dependents, then of its mentions, or all."""
    fields: dict[str, Any] = meta_fields(meta or impact.meta)
    dependents, mentions = _first(impact, kept)
    return ImpactOut(
        changed=node_out(impact.changed, hops=False),
        dependents=[_dependent(each) for each in dependents],
        mentions=[_mention(each) for each in mentions],
        **fields,
    )


def impact_text(impact: "Impact", meta: "ResponseMeta", kept: int) -> str:
    """What a change touches as text: everything named once, then the edges over which it is touched."""
    dependents, mentions = _first(impact, kept)
    cards = {card.node: card for card in (impact.changed, *(each.card for each in dependents))}
    cards |= {each.card.node: each.card for each in mentions if each.card.node not in cards}
    numbers = numbers_of(cards.values())
    lines = ["Changes:", *node_line(impact.changed, 1, hops=False), ""]
    lines.append(f"Depends on it ({len(dependents)} of {len(impact.dependents)}):")
    for each in dependents:
        lines += node_line(each.card, numbers[each.card.node])
    if not impact.dependents:
        lines[-1] = no_dependents(impact.changed, meta)
    if mentions:
        lines += ["", f"Mentioned or shown by ({len(mentions)} of {len(impact.mentions)}):"]
        for node in dict.fromkeys(each.card.node for each in mentions):
            lines += node_line(cards[node], numbers[node], hops=False)
    edges = dict.fromkeys(edge_line(edge, numbers) for each in dependents for edge in each.path)
    edges |= dict.fromkeys(edge_line(each.edge, numbers) for each in mentions)
    return with_remarks([*lines, *(["", "Edges:", *edges] if edges else [])], meta)


def no_dependents(changed: "NodeCard", meta: "ResponseMeta") -> str:
    """Why nothing is listed as dependent: models state dependencies of their elements, and of nothing else."""
    if changed.node.kind != ELEMENT:
        return "What depends on it is not known: only models state that, and only of their elements."
    return f"Nothing depends on it{meta.reading.so_far}, as far as the models say."


def _first(impact: "Impact", kept: int | None) -> "tuple[tuple[Dependent, ...], tuple[ImpactMention, ...]]":
    if kept is None:
        return impact.dependents, impact.mentions
    return impact.dependents[:kept], impact.mentions[: max(0, kept - len(impact.dependents))]


def _dependent(dependent: "Dependent") -> DependentOut:
    return DependentOut(**node_fields(dependent.card), path=[edge_out(edge) for edge in dependent.path])


def _mention(mention: "ImpactMention") -> MentionOut:
    fields = node_fields(mention.card, hops=False)
    return MentionOut(**fields, of=mention.of.node_id, edge=edge_out(mention.edge))
