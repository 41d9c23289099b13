"""What a change touches: what depends on an element, over which edges, and what mentions any of that."""

from typing import TYPE_CHECKING, Any

from citemark.results.common_parts import ResponseMetaOut, meta_fields
from citemark.results.graph_nodes import EdgeOut, NodeOut, edge_out, node_fields, node_out

if TYPE_CHECKING:
    from citemark.services.graph.impact import Dependent, Impact, ImpactMention


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


def impact_out(impact: "Impact") -> ImpactOut:
    """What a change touches, as a result."""
    fields: dict[str, Any] = meta_fields(impact.meta)
    return ImpactOut(
        changed=node_out(impact.changed, hops=False),
        dependents=[_dependent(each) for each in impact.dependents],
        mentions=[_mention(each) for each in impact.mentions],
        **fields,
    )


def _dependent(dependent: "Dependent") -> DependentOut:
    return DependentOut(**node_fields(dependent.card), path=[edge_out(edge) for edge in dependent.path])


def _mention(mention: "ImpactMention") -> MentionOut:
    fields = node_fields(mention.card, hops=False)
    return MentionOut(**fields, of=mention.of.node_id, edge=edge_out(mention.edge))
