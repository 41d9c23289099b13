"""What the styles of an OpenDocument file say about the look of a text, and the boxes of its forms."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from citemark.extraction.office import Node, attribute, child, children, name_of
from citemark.extraction.text_runs import PLAIN, Look
from citemark.text.marks import box

NO_LOOKS: Mapping[str, Look] = MappingProxyType({})
NO_BOXES: Mapping[str, str] = MappingProxyType({})

_DEEPEST = 20
"""Most styles based on one another; a cycle of them ends here."""

_LEAST_SHARE = 15
"""Percent of a line's height: a text that is moved by less is adjusted to its neighbours, not raised."""

_NOT_STRUCK = frozenset({"", "none"})


def read_looks(*groups: Node | None) -> Mapping[str, Look]:
    """The looks that styles give to their text, by the name of the style; plain ones are left out."""
    nodes = {attribute(node, "name"): node for group in groups for node in children(group, "style")}
    looks = {name: _look(name, nodes) for name in nodes}
    return {name: look for name, look in looks.items() if look != PLAIN}


def read_boxes(content: Node) -> Mapping[str, str]:
    """The boxes of the check boxes in the forms of a document, by the ids under which its text shows them."""
    return dict(_boxes(content))


def _boxes(content: Node) -> Iterator[tuple[str, str]]:
    for forms in content.iter():
        if name_of(forms) == "forms":
            for control in forms.iter():
                if name_of(control) in {"checkbox", "radio"}:
                    state = attribute(control, "current-state") or attribute(control, "state")
                    chosen = state == "checked" or attribute(control, "current-selected") == "true"
                    yield attribute(control, "id"), box(checked=chosen)


def _look(name: str, nodes: Mapping[str, Node]) -> Look:
    chain: list[Node] = []
    while name in nodes and len(chain) < _DEEPEST:
        chain.append(nodes[name])
        name = attribute(nodes[name], "parent-style-name")
    place, struck = 0, False
    for node in reversed(chain):
        properties = child(node, "text-properties")
        position = attribute(properties, "text-position").split()
        if position:
            place = _place(position[0])
        lines = [
            value
            for key in ("text-line-through-style", "text-line-through-type")
            if (value := attribute(properties, key))
        ]
        if lines:
            struck = _NOT_STRUCK.isdisjoint(lines)
    return Look(place, struck) if place or struck else PLAIN


def _place(position: str) -> int:
    if position in {"super", "sub"}:
        return 1 if position == "super" else -1
    share = position.removesuffix("%")
    try:
        moved = float(share)
    except ValueError:
        return 0
    return 0 if abs(moved) < _LEAST_SHARE else 1 if moved > 0 else -1
