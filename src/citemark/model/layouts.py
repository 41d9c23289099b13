"""The layout of a view of an architecture model: written by its reader, drawn by the picture."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

NodeKind = Literal["element", "group", "note", "view"]
"""`view`: a box that refers to another view."""

_KINDS = frozenset({"element", "group", "note", "view"})


@dataclass(frozen=True, slots=True)
class LayoutNode:
    """A box, in coordinates of the whole view (x to the right, y down, in pixels).

    `parent` is the node that it is drawn in. `refers_to` is the native id of what it shows: an element or a view.
    `type` and `layer` are an element's (`ApplicationComponent`, `application`), empty otherwise.
    """

    node_id: str
    kind: NodeKind
    label: str
    x: float
    y: float
    width: float
    height: float
    parent: str | None = None
    refers_to: str | None = None
    type: str = ""
    layer: str = ""


@dataclass(frozen=True, slots=True)
class LayoutConnection:
    """A line between two nodes, or from or to another connection, by way of `bends` (coordinates of the view).

    `type` is a relationship's ArchiMate name (`Serving`), empty for a plain line. `detail` is the mode of an access
    (`read`, `write`, `readwrite`), the strength of an influence or `directed` of an association.
    """

    connection_id: str
    source: str
    target: str
    type: str = ""
    relationship_id: str | None = None
    label: str = ""
    detail: str = ""
    bends: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """A view's picture. A parent precedes the nodes in it."""

    nodes: tuple[LayoutNode, ...]
    connections: tuple[LayoutConnection, ...]

    def as_json(self) -> str:
        """The form in which it is kept with the view."""
        form = {
            "nodes": [_bare(asdict(node)) for node in self.nodes],
            "connections": [_bare(asdict(each)) for each in self.connections],
        }
        return json.dumps(form, ensure_ascii=False, separators=(",", ":"))


def layout_of(text: str) -> Layout:
    """The layout that `as_json` wrote; what is not one of its boxes or lines is left out."""
    try:
        form: Any = json.loads(text)
    except ValueError:
        form = None
    nodes = (_node(entry) for entry in _entries(form, "nodes"))
    lines = (_connection(entry) for entry in _entries(form, "connections"))
    return Layout(tuple(node for node in nodes if node is not None), tuple(line for line in lines if line is not None))


def mention_of(native_id: str) -> str:
    """How the JSON of a layout spells that a node shows this element or view."""
    return f'"refers_to":{json.dumps(native_id, ensure_ascii=False)}'


def _entries(form: Any, name: str) -> list[Mapping[str, Any]]:
    if not isinstance(form, dict):
        return []
    found: Any = cast("dict[str, Any]", form).get(name)
    entries = cast("list[Any]", found) if isinstance(found, list) else []
    return [cast("Mapping[str, Any]", entry) for entry in entries if isinstance(entry, dict)]


def _bare(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value not in (None, "", ())}


def _node(entry: Mapping[str, Any]) -> LayoutNode | None:
    known: dict[str, Any] = {"label": "", **entry}
    try:
        return LayoutNode(**known) if known["kind"] in _KINDS else None
    except (TypeError, KeyError):
        return None


def _connection(entry: Mapping[str, Any]) -> LayoutConnection | None:
    try:
        bends = tuple((float(x), float(y)) for x, y in entry.get("bends") or ())
        known: dict[str, Any] = {**entry, "bends": bends}
        return LayoutConnection(**known)
    except (TypeError, ValueError):
        return None
