"""The surroundings of an element: its relationships seen from its side, across junctions, and its capabilities."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citemark.features.archimate.source.part_documents import quoted
from citemark.features.archimate.source.parts import Element, Model, Relationship
from citemark.features.archimate.source.vocabulary import CAPABILITY_TYPE, VERBS, verb_of

_MOST_BEHIND = 40
"""Elements named behind one junction; more would fill a chunk with one line."""

_DEEPEST = 8
"""Junctions in a row that are followed; models rarely chain more than two."""

_ORDER = {name: index for index, name in enumerate(VERBS)}


_MOST_STEPS = 400
"""Elements visited per climb: bounds the work in models where everything is connected."""

_MOST = 50
"""Capabilities per element; the nearest ones are kept."""

_DOWNWARD = frozenset({"Composition", "Aggregation"})
_UPWARD = frozenset({"Realization", "Assignment"})


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A relationship from the perspective of one element: a verb phrase, and what the element is related to.

    `order` groups equal phrases, outgoing relationships first.
    """

    order: tuple[int, int, str]
    phrase: str
    other: str
    relationship: Relationship
    outgoing: bool


class Neighbourhood:
    """The relationships of a model, indexed by the elements at their ends."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._from: defaultdict[str, list[Relationship]] = defaultdict(list)
        self._to: defaultdict[str, list[Relationship]] = defaultdict(list)
        # Sorted by id, not by name: renaming an element then changes its own line and moves no other.
        for each in sorted(model.relationships.values(), key=lambda each: each.relationship_id):
            self._from[each.source].append(each)
            self._to[each.target].append(each)

    def stated_by(self, element_id: str) -> Iterator[tuple[Relationship, str]]:
        """Yield the relationships that start at an element, or at one of those relationships.

        Each comes with the id of the relationship that it starts at, "" if it starts at the element.
        """
        waiting = [(element_id, "")]
        while waiting:
            start, through = waiting.pop()
            for each in self._from.get(start, ()):
                yield each, through
                waiting.append((each.relationship_id, each.relationship_id))

    def of(self, element: Element) -> list[Neighbour]:
        """Return every relationship of an element, grouped by phrase."""
        found = [self._forth(each) for each in self._from.get(element.element_id, ())]
        found += [self._back(each) for each in self._to.get(element.element_id, ())]
        return sorted(found, key=lambda neighbour: neighbour.order)

    def named(self, part_id: str) -> str:
        """Describe an element with its type, or a relationship with both its ends."""
        element = self._model.elements.get(part_id)
        if element is not None:
            return f"{element.title} ({element.type})"
        each = self._model.relationships[part_id]
        name = f" {quoted(each.description.name)}" if each.description.name else ""
        return f"the {each.type}{name} from {self._end(each.source)} to {self._end(each.target)}"

    def _forth(self, each: Relationship) -> Neighbour:
        verb = verb_of(each.type, each.access, directed=each.directed).forth
        return self._neighbour(each, verb, each.target, outgoing=True)

    def _back(self, each: Relationship) -> Neighbour:
        verb = verb_of(each.type, each.access, directed=each.directed).back
        return self._neighbour(each, verb, each.source, outgoing=False)

    def _neighbour(self, each: Relationship, verb: str, other: str, *, outgoing: bool) -> Neighbour:
        order = (0 if outgoing else 1, _ORDER[each.type], verb)
        return Neighbour(order, verb, self._other(each, other, outgoing=outgoing), each, outgoing)

    def _other(self, each: Relationship, part_id: str, *, outgoing: bool) -> str:
        words = self.named(part_id)
        element = self._model.elements.get(part_id)
        if element is not None and element.junction:
            behind = self._behind(element, each.type, outgoing=outgoing)
            joined = f" {element.junction} ".join(behind) if behind else "nothing"
            words = f"{joined} (through an {element.title})"
        marks = [quoted(each.description.name)] if each.description.name else []
        marks += [f"strength {each.strength}"] if each.strength else []
        marks += list(each.description.specializations)
        return f"{words} [{', '.join(marks)}]" if marks else words

    def _behind(self, junction: Element, type_: str, *, outgoing: bool) -> list[str]:
        """Describe what a junction leads to by relationships of one type, across further junctions."""
        found: dict[str, None] = {}
        seen = {junction.element_id}
        level = [junction.element_id]
        for _ in range(_DEEPEST):
            level = [part_id for part_id in self._beyond(level, type_, outgoing=outgoing) if part_id not in seen]
            seen.update(level)
            ends = [part_id for part_id in level if not self._is_junction(part_id)]
            found.update(dict.fromkeys(ends))
            level = [part_id for part_id in level if self._is_junction(part_id)]
            if not level or len(found) >= _MOST_BEHIND:
                break
        return [self.named(part_id) for part_id in list(found)[:_MOST_BEHIND]]

    def _beyond(self, part_ids: Sequence[str], type_: str, *, outgoing: bool) -> list[str]:
        side: Mapping[str, Sequence[Relationship]] = self._from if outgoing else self._to
        following = (each for part_id in part_ids for each in side.get(part_id, ()) if each.type == type_)
        return list(dict.fromkeys(each.target if outgoing else each.source for each in following))

    def _is_junction(self, part_id: str) -> bool:
        element = self._model.elements.get(part_id)
        return element is not None and bool(element.junction)

    def _end(self, part_id: str) -> str:
        """Describe an end of a relationship that is only mentioned; a relationship there is not expanded further."""
        element = self._model.elements.get(part_id)
        return f"{element.title} ({element.type})" if element else f"a {self._model.relationships[part_id].type}"


def capabilities_of(model: Model) -> Mapping[str, tuple[str, ...]]:
    """Map each element to the ids of the capabilities it belongs to, nearest first; elements without any are left out.

    An element belongs to what it is a part of, what it realizes and what it is assigned to, and to everything that
    these belong to. Cycles are walked once; the walk ends after `_MOST_STEPS` elements.
    """
    above = _above(model.elements, model.relationships)
    return {part_id: _climb(part_id, above, model.elements) for part_id in _below(above, model.elements)}


def _above(elements: Mapping[str, Element], relationships: Mapping[str, Relationship]) -> Mapping[str, tuple[str, ...]]:
    above: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for each in relationships.values():
        if each.source not in elements or each.target not in elements:
            continue
        if each.type in _DOWNWARD:
            above[each.target][each.source] = None
        elif each.type in _UPWARD:
            above[each.source][each.target] = None
    return {part_id: tuple(sorted(parents)) for part_id, parents in above.items()}


def _below(above: Mapping[str, tuple[str, ...]], elements: Mapping[str, Element]) -> set[str]:
    """Return the elements from which a capability can be reached; the others need no walk."""
    below: defaultdict[str, list[str]] = defaultdict(list)
    for part_id, parents in above.items():
        for parent in parents:
            below[parent].append(part_id)
    waiting = [part_id for part_id, element in elements.items() if element.type == CAPABILITY_TYPE]
    found: set[str] = set()
    while waiting:
        for part_id in below.get(waiting.pop(), ()):
            if part_id not in found:
                found.add(part_id)
                waiting.append(part_id)
    return found


def _climb(part_id: str, above: Mapping[str, tuple[str, ...]], elements: Mapping[str, Element]) -> tuple[str, ...]:
    """Walk upward breadth first; the element itself does not count among its capabilities."""
    found: list[str] = []
    seen = {part_id}
    waiting = deque([part_id])
    while waiting and len(seen) < _MOST_STEPS and len(found) < _MOST:
        for parent in above.get(waiting.popleft(), ()):
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
                if elements[parent].type == CAPABILITY_TYPE:
                    found.append(parent)
    return tuple(found)
