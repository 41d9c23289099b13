"""To which capabilities an element belongs, by what the model says."""

from collections import defaultdict, deque
from collections.abc import Mapping

from citemark.sources.archimate.parts import Element, Model, Relationship
from citemark.sources.archimate.vocabulary import CAPABILITY

_MOST_STEPS = 400
_MOST = 50
_DOWNWARD = frozenset({"Composition", "Aggregation"})
_UPWARD = frozenset({"Realization", "Assignment"})


def capabilities_of(model: Model) -> Mapping[str, tuple[str, ...]]:
    """The ids of the capabilities of each element, nearest first; elements without any are left out.

    An element belongs to what it is a part of, what it realizes and what it is assigned to, and to all that these
    belong to. Rings are walked once; the walk ends after some hundreds of steps.
    """
    above = _above(model.elements, model.relationships)
    return {number: _climb(number, above, model.elements) for number in _below(above, model.elements)}


def _above(elements: Mapping[str, Element], relationships: Mapping[str, Relationship]) -> Mapping[str, tuple[str, ...]]:
    above: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for each in relationships.values():
        if each.source not in elements or each.target not in elements:
            continue
        if each.type in _DOWNWARD:
            above[each.target][each.source] = None
        elif each.type in _UPWARD:
            above[each.source][each.target] = None
    return {number: tuple(sorted(parents)) for number, parents in above.items()}


def _below(above: Mapping[str, tuple[str, ...]], elements: Mapping[str, Element]) -> set[str]:
    """The elements from which any capability can be reached: the others need no walk."""
    below: defaultdict[str, list[str]] = defaultdict(list)
    for number, parents in above.items():
        for parent in parents:
            below[parent].append(number)
    waiting = [number for number, element in elements.items() if element.type == CAPABILITY]
    found: set[str] = set()
    while waiting:
        for number in below.get(waiting.pop(), ()):
            if number not in found:
                found.add(number)
                waiting.append(number)
    return found


def _climb(number: str, above: Mapping[str, tuple[str, ...]], elements: Mapping[str, Element]) -> tuple[str, ...]:
    """Breadth first; the element itself is none of its capabilities."""
    found: list[str] = []
    seen = {number}
    waiting = deque([number])
    while waiting and len(seen) < _MOST_STEPS and len(found) < _MOST:
        for parent in above.get(waiting.popleft(), ()):
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
                if elements[parent].type == CAPABILITY:
                    found.append(parent)
    return tuple(found)
