"""What the look of a run of Word text says, and the boxes of forms."""

from collections.abc import Mapping

from citemark.extraction.office import Node, attribute, attribute_of_child, child, children, is_on, name_of
from citemark.extraction.text_runs import PLAIN, Look
from citemark.text.marks import box

_LEAST_RISE = 4
"""In half points: a text that is moved by less is adjusted to its neighbours, not raised."""

_DEEPEST_STYLE = 20
"""Most styles based on one another; a cycle of them ends here."""

_PLACES = {"superscript": 1, "subscript": -1}


def read_looks(root: Node | None) -> Mapping[str, Look]:
    """The looks that styles give to their text, by the id of the style; plain ones are left out."""
    nodes = {attribute(node, "styleId"): node for node in children(root, "style")}
    said = {name_of(part) for node in nodes.values() for part in children(child(node, "rPr"))}
    if _SAYS_LOOK.isdisjoint(said):
        return {}
    looks = {name: _inherited(name, nodes) for name in nodes}
    return {name: look for name, look in looks.items() if look != PLAIN}


_SAYS_LOOK = frozenset({"rStyle", "vertAlign", "position", "strike", "dstrike"})


def look_of(properties: Node | None, styles: Mapping[str, Look], paragraph: Look = PLAIN) -> Look:
    """The look of a run with these properties in a paragraph with a look of its own."""
    if properties is None or _SAYS_LOOK.isdisjoint(map(name_of, properties)):
        return paragraph
    style = styles.get(attribute(child(properties, "rStyle"), "val"), PLAIN)
    return _with_own(paragraph.with_(place=style.place, struck=style.struck), properties)


def box_of(node: Node) -> str | None:
    """The box that a content control or the field of an old form shows, or None if it is none."""
    control = child(node, "sdtPr", "checkbox")
    if control is not None:
        return box(checked=is_on(control, "checked"))
    field = child(node, "ffData", "checkBox")
    if field is None:
        return None
    return box(checked=is_on(field, "checked" if child(field, "checked") is not None else "default"))


def _inherited(name: str, nodes: Mapping[str, Node]) -> Look:
    chain: list[Node] = []
    while name in nodes and len(chain) < _DEEPEST_STYLE:
        chain.append(nodes[name])
        name = attribute(child(nodes[name], "basedOn"), "val")
    look = PLAIN
    for node in reversed(chain):
        look = _with_own(look, child(node, "rPr"))
    return look


def _with_own(look: Look, properties: Node | None) -> Look:
    """A look with the settings of these properties, which may also turn off what was inherited."""
    place, struck = look.place, look.struck
    aligned = attribute_of_child(properties, "vertAlign")
    if aligned is not None:
        place = _PLACES.get(aligned, 0)
    risen = attribute_of_child(properties, "position") or ""
    if risen.removeprefix("-").isdigit() and abs(int(risen)) >= _LEAST_RISE:
        place = 1 if int(risen) > 0 else -1
    if child(properties, "strike") is not None or child(properties, "dstrike") is not None:
        struck = is_on(properties, "strike") or is_on(properties, "dstrike")
    return look if (place, struck) == (look.place, look.struck) else Look(place, struck)
