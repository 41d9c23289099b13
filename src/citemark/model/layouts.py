"""The layout of a view of an architecture model: the model's reader writes it, and its picture is drawn from it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

NodeKind = Literal["element", "group", "note", "view"]
"""`view`: a box that refers to another view."""

_KINDS = frozenset({"element", "group", "note", "view"})


@dataclass(frozen=True, slots=True)
class LayoutNode:
    """A box, in the coordinates of the whole view (x to the right, y down, in pixels).

    `parent` is the node inside which it is drawn. `refers_to` is the native id of what it shows: an element or a view.
    `type` and `layer` are those of an element (`ApplicationComponent`, `application`), and empty otherwise.
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
    """A line that connects nodes or other connections, by way of `bends` (in the coordinates of the view).

    `type` is a relationship's ArchiMate name (`Serving`), empty for a plain line. `detail` is the mode of an access
    (`read`, `write`, `readwrite`), the strength of an influence, or `directed` for an association.
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
    """The layout of a view; a parent precedes the nodes inside it."""

    nodes: tuple[LayoutNode, ...]
    connections: tuple[LayoutConnection, ...]

    def as_json(self) -> str:
        """The JSON in which the layout is stored with the view."""
        form = {
            "nodes": [_without_empty_values(asdict(node)) for node in self.nodes],
            "connections": [_without_empty_values(asdict(connection)) for connection in self.connections],
        }
        return json.dumps(form, ensure_ascii=False, separators=(",", ":"))


def layout_of(text: str) -> Layout:
    """The layout that `as_json` wrote; entries that are not valid boxes or lines are left out."""
    try:
        form: Any = json.loads(text)
    except ValueError:
        form = None
    nodes = (_node(entry) for entry in _entries(form, "nodes"))
    lines = (_connection(entry) for entry in _entries(form, "connections"))
    return Layout(tuple(node for node in nodes if node is not None), tuple(line for line in lines if line is not None))


def mention_of(native_id: str) -> str:
    """The part of a layout's JSON which says that a node shows this element or view."""
    return f'"refers_to":{json.dumps(native_id, ensure_ascii=False)}'


def _entries(form: Any, name: str) -> list[Mapping[str, Any]]:
    if not isinstance(form, dict):
        return []
    value: Any = cast("dict[str, Any]", form).get(name)
    entries = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", entry) for entry in entries if isinstance(entry, dict)]


def _without_empty_values(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value not in (None, "", ())}


def _node(entry: Mapping[str, Any]) -> LayoutNode | None:
    fields: dict[str, Any] = {"label": "", **entry}
    try:
        return LayoutNode(**fields) if fields["kind"] in _KINDS else None
    except (TypeError, KeyError):
        return None


def _connection(entry: Mapping[str, Any]) -> LayoutConnection | None:
    try:
        bends = tuple((float(x), float(y)) for x, y in entry.get("bends") or ())
        fields: dict[str, Any] = {**entry, "bends": bends}
        return LayoutConnection(**fields)
    except (TypeError, ValueError):
        return None
