"""Reads the bytes of a file as a checked model; the namespace of the XML root determines its format."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from citemark.extraction.office import name_of
from citemark.features.archimate.source import archi_format, exchange_format
from citemark.features.archimate.source.parts import Element, Model, ParsedModel, Relationship, View
from citemark.features.archimate.source.vocabulary import LAYER_OF, VERBS
from citemark.features.archimate.source.xml_file import root_of
from citemark.model.documents import Problem
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import LONGEST_ID, NativeId
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode

COARCHI = (
    "This is a coArchi folder, which has a file for each part of a model; export the model as a file: in Archi, "
    "File > Save As writes an .archimate file, and File > Export > Model To Open Exchange File an exchange file."
)

_MOST_PROBLEMS = 1_000
"""Problems that are listed one by one; each is a row in the database and a line in reports."""

_MOST_MESSAGES = 20
"""Messages about one part of a model."""

_NO_ID = "(no id)"


def read_model(data: bytes, language: str = "") -> Model:
    """Read a model of either format; faults inside it are among its problems.

    Args:
        data: the file.
        language: the language whose names and texts come first, by its English name; if empty, that of the model.

    Raises:
        SkippableSourceError: the bytes are not a model file, or not safe to read.
    """
    return check_model(_parse(data, language))


def _parse(data: bytes, language: str) -> ParsedModel:
    root = root_of(data)
    namespace, _, _ = str(root.tag).removeprefix("{").rpartition("}")
    if name_of(root) == "model":
        if namespace in archi_format.NAMESPACES:
            return archi_format.read_archi(root)
        if namespace.startswith(exchange_format.NAMESPACE):
            return exchange_format.read_exchange(root, language)
        if namespace.startswith(exchange_format.OLDER):
            raise SkippableSourceError(
                "The file is of version 2 of the exchange format; open it in its tool and export version 3."
            )
    if namespace in archi_format.NAMESPACES:
        raise SkippableSourceError(f"The file is a part of a model. {COARCHI}")
    where = repr(namespace) if namespace else "no namespace"
    raise SkippableSourceError(
        f"The XML is not an ArchiMate model: its root is {name_of(root)!r} of {where}. Give an Open Group exchange "
        "file (version 3) or an .archimate file of Archi."
    )


def check_model(parsed: ParsedModel) -> Model:
    """Keep the valid parts of a model, and report a problem for each part that is not kept."""
    check = _Check()
    elements = check.elements(parsed.elements)
    relationships = check.relationships(parsed.relationships, elements)
    views = check.views(parsed.views, elements, relationships)
    return Model(parsed.model_id, parsed.description, elements, relationships, views, check.problems())


class _Check:
    """The state of checking one model: ids seen so far, and messages by the id of the part they concern."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}
        self._found: defaultdict[str, list[str]] = defaultdict(list)

    def elements(self, parsed: Iterable[Element]) -> dict[str, Element]:
        """Keep elements with a unique id and an ArchiMate type; a missing name is only reported."""
        kept: dict[str, Element] = {}
        for element in parsed:
            label = f"the {element.type or 'element'} {element.title!r}"
            if not self._is_new(element.element_id, label):
                continue
            if element.type not in LAYER_OF:
                self._report(
                    element.element_id,
                    f"{element.title!r} is of type {element.type!r}, which is not an element type of ArchiMate 3; "
                    "it is not indexed.",
                )
                continue
            if not element.description.name and not element.junction:
                self._report(element.element_id, f"The {element.type} has no name; it is indexed as {element.title!r}.")
            kept[element.element_id] = element
        return kept

    def relationships(self, parsed: Iterable[Relationship], elements: Mapping[str, Element]) -> dict[str, Relationship]:
        """Keep relationships of a known type whose ends lead to elements, directly or through other relationships."""
        candidates: dict[str, Relationship] = {}
        for each in parsed:
            if not self._is_new(each.relationship_id, f"the {each.type} relationship"):
                continue
            if (size := len(each.relationship_id.encode())) > LONGEST_ID:
                self._report(
                    each.relationship_id,
                    f"The id of the {each.type} relationship has {size:,} bytes, more than the {LONGEST_ID:,} that are "
                    "indexed; the relationship is not indexed.",
                )
                continue
            if each.type not in VERBS:
                self._report(
                    each.relationship_id,
                    f"{each.type!r} is not a relationship type of ArchiMate 3; the relationship is not indexed.",
                )
                continue
            candidates[each.relationship_id] = each
        grounded = _grounded(candidates, elements)
        for part_id, each in candidates.items():
            if part_id not in grounded:
                lost = [end for end in (each.source, each.target) if end not in elements and end not in grounded]
                named = " and ".join(repr(end) for end in dict.fromkeys(lost))
                self._report(part_id, f"The {each.type} relationship leads to {named}, which is not in the model.")
        return {part_id: each for part_id, each in candidates.items() if part_id in grounded}

    def views(
        self,
        parsed: Iterable[View],
        elements: Mapping[str, Element],
        relationships: Mapping[str, Relationship],
    ) -> dict[str, View]:
        """Keep views, without the boxes and lines of parts that are not in the model."""
        unique = [view for view in parsed if self._is_new(view.view_id, f"the view {view.description.name!r}")]
        names = {view.view_id: view.description.name for view in unique}
        kept: dict[str, View] = {}
        for view in unique:
            if not view.description.name:
                self._report(view.view_id, "The view has no name; it is indexed as 'unnamed view'.")
                view = replace(view, description=replace(view.description, name="unnamed view"))  # noqa: PLW2901 - the same view
            kept[view.view_id] = replace(view, layout=self._layout(view, elements, relationships, names))
        return kept

    def problems(self) -> tuple[Problem, ...]:
        """Return one problem per id in the order of the file; beyond `_MOST_PROBLEMS` only how many more there are."""
        problems = [Problem(NativeId(part_id), " ".join(messages)) for part_id, messages in self._found.items()]
        if len(problems) > _MOST_PROBLEMS:
            more = len(problems) - _MOST_PROBLEMS
            rest = Problem(NativeId("(more)"), f"{more:,} more parts of the model have problems.")
            return (*problems[:_MOST_PROBLEMS], rest)
        return tuple(problems)

    def _layout(
        self,
        view: View,
        elements: Mapping[str, Element],
        relationships: Mapping[str, Relationship],
        names: Mapping[str, str],
    ) -> Layout:
        nodes: dict[str, LayoutNode] = {}
        for node in view.layout.nodes:
            if not node.node_id or node.node_id in nodes:
                self._report(view.view_id, f"Two boxes of the view have the id {node.node_id!r}; the first is kept.")
            elif node.kind == "element" and node.refers_to not in elements:
                self._report(view.view_id, f"The view shows the element {node.refers_to!r}, which is not in the model.")
                nodes[node.node_id] = replace(node, kind="group", refers_to=None, type="", layer="")
            elif node.kind == "view":
                known = node.refers_to in names
                if not known:
                    self._report(
                        view.view_id, f"The view shows the view {node.refers_to!r}, which is not in the model."
                    )
                label = node.label or names.get(node.refers_to or "", "")
                nodes[node.node_id] = replace(node, label=label, refers_to=node.refers_to if known else None)
            else:
                nodes[node.node_id] = node
        return Layout(tuple(nodes.values()), tuple(self._lines(view, nodes, relationships)))

    def _lines(
        self, view: View, nodes: Mapping[str, LayoutNode], relationships: Mapping[str, Relationship]
    ) -> Iterator[LayoutConnection]:
        lines = {line.connection_id: line for line in view.layout.connections if line.connection_id}
        loose = 0
        for line in lines.values():
            if not all(end in nodes or end in lines for end in (line.source, line.target)):
                loose += 1
            elif line.relationship_id is None or line.relationship_id in relationships:
                yield line
            else:
                missing = f"The view shows the relationship {line.relationship_id!r}, which is not in the model."
                self._report(view.view_id, missing)
                yield replace(line, relationship_id=None)
        if loose:
            self._report(view.view_id, f"{loose} line(s) of the view have an end that it does not show.")

    def _is_new(self, part_id: str, label: str) -> bool:
        if not part_id:
            self._report(_NO_ID, f"{label.capitalize()} has no id; it is not indexed.")
            return False
        first = self._seen.setdefault(part_id, label)
        if first is not label:
            self._report(part_id, f"{label[0].upper()}{label[1:]} has the id of {first}; only the first is indexed.")
            return False
        return True

    def _report(self, part_id: str, message: str) -> None:
        messages = self._found[part_id]
        if message not in messages and len(messages) < _MOST_MESSAGES:
            messages.append(message)


def _grounded(candidates: Mapping[str, Relationship], elements: Mapping[str, Element]) -> set[str]:
    """Return the relationships both of whose ends lead to elements; relationships that form a ring do not."""
    waiting: defaultdict[str, list[str]] = defaultdict(list)
    missing: dict[str, int] = {}
    for part_id, each in candidates.items():
        open_ends = [end for end in (each.source, each.target) if end not in elements]
        missing[part_id] = len(open_ends)
        for end in open_ends:
            waiting[end].append(part_id)
    ready = [part_id for part_id, count in missing.items() if not count]
    grounded: set[str] = set()
    while ready:
        part_id = ready.pop()
        grounded.add(part_id)
        for other in waiting[part_id]:
            missing[other] -= 1
            if not missing[other]:
                ready.append(other)
    return grounded
