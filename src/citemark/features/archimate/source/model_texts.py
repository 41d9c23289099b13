"""The texts of views (what each shows, inside what, related how) and of the model as a whole."""

from collections.abc import Iterator
from itertools import groupby
from typing import assert_never

from citemark.features.archimate.source.part_documents import (
    PartDocument,
    TextLines,
    document,
    documentation_lines,
    other_name_lines,
    other_names,
    portions,
    property_lines,
    quoted,
)
from citemark.features.archimate.source.parts import Model, View
from citemark.features.archimate.source.vocabulary import verb_of
from citemark.model.architecture import ELEMENT, OTHER_NAMES, VIEW
from citemark.model.documents import StatedRelationship
from citemark.model.graph import SHOWS
from citemark.model.ids import NativeId
from citemark.model.layouts import LayoutNode

MODEL = "model"
_NAMELESS = "unnamed model"


def view_documents(model: Model) -> Iterator[PartDocument]:
    """Yield the text of every view of a model, in the order of the file."""
    for view in model.views.values():
        yield _document(model, view)


def _document(model: Model, view: View) -> PartDocument:
    lines = TextLines()
    viewpoint = " ".join(view.viewpoint.split("_"))
    lines.add(f"{view.description.name} is a view of the model{f' (viewpoint: {viewpoint})' if viewpoint else ''}.")
    lines.add_all(other_name_lines(view.description))
    lines.add_all(_members(view))
    lines.add_all(_relationships(model, view))
    lines.add_all(f"Note: {node.label}" for node in view.layout.nodes if node.kind == "note" and node.label)
    lines.add_all(property_lines(view.description.properties))
    lines.add_all(documentation_lines(view.description.documentation))
    return document(
        doc_type=VIEW,
        native_id=view.view_id,
        extracted=lines.extracted(view.description.name, view.description),
        metadata={
            "name": view.description.name,
            OTHER_NAMES: other_names(view.description),
            "viewpoint": view.viewpoint,
            "folder": view.description.folder,
            "layout": view.layout.as_json(),
        },
        relationships=tuple(_shown(model, view, lines)),
    )


def _shown(model: Model, view: View, lines: TextLines) -> Iterator[StatedRelationship]:
    """State each element that a view shows, at the line that names it first."""
    seen: set[str] = set()
    for node in view.layout.nodes:
        element_id = node.refers_to
        if element_id is not None and element_id in model.elements and element_id not in seen:
            seen.add(element_id)
            span = lines.first(_named(node))
            yield StatedRelationship(SHOWS, None, NativeId(element_id), None, span, metadata={"doc_type": ELEMENT})


def _members(view: View) -> Iterator[str]:
    """List what is shown, grouped by the box around it."""
    boxes = {node.node_id: node for node in view.layout.nodes}
    order = {node_id: number for number, node_id in enumerate(boxes, start=1)}
    shown = [node for node in view.layout.nodes if node.kind != "note" and node.label]

    def place(node: LayoutNode) -> int:
        return order.get(node.parent or "", 0)

    for _, group in groupby(sorted(shown, key=place), key=place):
        inside = list(group)
        parent = boxes.get(inside[0].parent or "")
        where = "It shows" if parent is None or not parent.label else f"It shows, in {_named(parent)}"
        for some in portions(list(dict.fromkeys(_named(node) for node in inside))):
            yield f"{where}: {', '.join(some)}."


def _named(node: LayoutNode) -> str:
    match node.kind:
        case "element":
            return f"{node.label} ({node.type})"
        case "view":
            return f"the view {quoted(node.label)}"
        case "group":
            return f"the group {quoted(node.label)}"
        case "note":
            return quoted(node.label)
        case _:
            assert_never(node.kind)


def _relationships(model: Model, view: View) -> Iterator[str]:
    phrases: dict[str, None] = {}
    for line in view.layout.connections:
        each = model.relationships.get(line.relationship_id or "")
        if each is None or each.source not in model.elements or each.target not in model.elements:
            continue
        verb = verb_of(each.type, each.access, directed=each.directed).forth
        source, target = model.elements[each.source].title, model.elements[each.target].title
        phrases[f"{source} {verb} {target}"] = None
    for some in portions(list(phrases)):
        yield f"It shows that {', '.join(some)}."


def model_document(model: Model) -> Iterator[PartDocument]:
    """Yield one document if the model has documentation or properties of its own."""
    description = model.description
    if description.documentation or description.properties:
        name = description.name or _NAMELESS
        lines = TextLines()
        lines.add(f"{name} is an architecture model.")
        lines.add_all(other_name_lines(description))
        lines.add_all(property_lines(description.properties))
        lines.add_all(documentation_lines(description.documentation))
        yield document(
            doc_type=MODEL,
            native_id=model.model_id or MODEL,
            extracted=lines.extracted(name, description),
            metadata={"name": name},
        )
