"""What stands around an element: each relationship from its side, and what lies behind junctions."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citemark.sources.archimate.composing import quoted
from citemark.sources.archimate.parts import Element, Model, Relationship
from citemark.sources.archimate.vocabulary import VERBS, verb_of

_MOST_BEHIND = 40
_DEEPEST = 8
_ORDER = {name: number for number, name in enumerate(VERBS)}


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One relationship as an element says it: a verb phrase, and what it is related to.

    `order` groups equal phrases, those that go out first.
    """

    order: tuple[int, int, str]
    phrase: str
    other: str
    relationship: Relationship
    outgoing: bool


class Neighbourhood:
    """The relationships of a model by the elements at their ends."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._from: defaultdict[str, list[Relationship]] = defaultdict(list)
        self._to: defaultdict[str, list[Relationship]] = defaultdict(list)
        # By id, not by name: a new name changes the line it stands on and moves no other.
        for each in sorted(model.relationships.values(), key=lambda each: each.relationship_id):
            self._from[each.source].append(each)
            self._to[each.target].append(each)

    def stated_by(self, element_id: str) -> Iterator[tuple[Relationship, str]]:
        """The relationships that begin at an element, or at one of these; with the id of that one then."""
        waiting = [(element_id, "")]
        while waiting:
            start, through = waiting.pop()
            for each in self._from.get(start, ()):
                yield each, through
                waiting.append((each.relationship_id, each.relationship_id))

    def of(self, element: Element) -> list[Neighbour]:
        """Every relationship of an element, grouped by what is said."""
        found = [self._forth(each) for each in self._from.get(element.element_id, ())]
        found += [self._back(each) for each in self._to.get(element.element_id, ())]
        return sorted(found, key=lambda neighbour: neighbour.order)

    def named(self, number: str) -> str:
        """An element with its type, or a relationship with both its ends, in words."""
        element = self._model.elements.get(number)
        if element is not None:
            return f"{element.title} ({element.type})"
        each = self._model.relationships[number]
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

    def _other(self, each: Relationship, number: str, *, outgoing: bool) -> str:
        words = self.named(number)
        element = self._model.elements.get(number)
        if element is not None and element.junction:
            behind = self._behind(element, each.type, outgoing=outgoing)
            joined = f" {element.junction} ".join(behind) if behind else "nothing"
            words = f"{joined} (through an {element.title})"
        marks = [quoted(each.description.name)] if each.description.name else []
        marks += [f"strength {each.strength}"] if each.strength else []
        marks += list(each.description.specializations)
        return f"{words} [{', '.join(marks)}]" if marks else words

    def _behind(self, junction: Element, type_: str, *, outgoing: bool) -> list[str]:
        """What a junction leads to by relationships of a type, over further junctions."""
        found: dict[str, None] = {}
        seen = {junction.element_id}
        level = [junction.element_id]
        for _ in range(_DEEPEST):
            level = [number for number in self._beyond(level, type_, outgoing=outgoing) if number not in seen]
            seen.update(level)
            ends = [number for number in level if not self._is_junction(number)]
            found.update(dict.fromkeys(ends))
            level = [number for number in level if self._is_junction(number)]
            if not level or len(found) >= _MOST_BEHIND:
                break
        return [self.named(number) for number in list(found)[:_MOST_BEHIND]]

    def _beyond(self, numbers: Sequence[str], type_: str, *, outgoing: bool) -> list[str]:
        side: Mapping[str, Sequence[Relationship]] = self._from if outgoing else self._to
        following = (each for number in numbers for each in side.get(number, ()) if each.type == type_)
        return list(dict.fromkeys(each.target if outgoing else each.source for each in following))

    def _is_junction(self, number: str) -> bool:
        element = self._model.elements.get(number)
        return element is not None and bool(element.junction)

    def _end(self, number: str) -> str:
        """An end of a relationship that is itself only mentioned: another relationship is not unfolded again."""
        element = self._model.elements.get(number)
        return f"{element.title} ({element.type})" if element else f"a {self._model.relationships[number].type}"
