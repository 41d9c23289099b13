"""Architecture models for tests: exchange files and Archi files, written from short descriptions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

EXCHANGE = "http://www.opengroup.org/xsd/archimate/3.0/"
ARCHI = "http://www.archimatetool.com/archimate"
XSI = "http://www.w3.org/2001/XMLSchema-instance"


@dataclass(frozen=True)
class E:
    """An element: id, type, name (the id by default), documentation, more XML inside, more attributes."""

    id: str
    type: str = "ApplicationComponent"
    name: str | None = None
    documentation: str = ""
    inside: str = ""
    attributes: str = ""


@dataclass(frozen=True)
class R:
    """A relationship: type, source, target, id (made of them by default), name, more XML inside, more attributes."""

    type: str
    source: str
    target: str
    id: str = ""
    name: str = ""
    inside: str = ""
    attributes: str = ""

    @property
    def number(self) -> str:
        return self.id or f"{self.type}-{self.source}-{self.target}"


@dataclass
class Sketch:
    """A model to be written in either format."""

    elements: list[E] = field(default_factory=list[E])
    relationships: list[R] = field(default_factory=list[R])
    views: str = ""
    more: str = ""

    def exchange(self) -> bytes:
        """As an Open Group exchange file."""
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><model xmlns="{EXCHANGE}" xmlns:xsi="{XSI}" identifier="m">'
            f'<name xml:lang="en">Model</name><elements>{"".join(map(_exchange_element, self.elements))}</elements>'
            f"<relationships>{''.join(map(_exchange_relationship, self.relationships))}</relationships>"
            f"{self.more}<views><diagrams>{self.views}</diagrams></views></model>"
        ).encode()

    def archi(self) -> bytes:
        """As a file of Archi, everything in one folder."""
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><archimate:model xmlns:xsi="{XSI}" xmlns:archimate="{ARCHI}"'
            f' name="Model" id="m" version="5.0.0"><folder name="All" id="f" type="other">'
            f"{''.join(map(_archi_element, self.elements))}{''.join(map(_archi_relationship, self.relationships))}"
            f'</folder><folder name="Views" id="v" type="diagrams">{self.views}</folder>{self.more}</archimate:model>'
        ).encode()


def sketch(elements: Iterable[E], relationships: Iterable[R] = (), views: str = "", more: str = "") -> Sketch:
    """A model of these parts."""
    return Sketch(list(elements), list(relationships), views, more)


def _exchange_element(e: E) -> str:
    name = e.id if e.name is None else e.name
    return (
        f'<element identifier={quoteattr(e.id)} xsi:type="{e.type}" {e.attributes}>'
        f'<name xml:lang="en">{escape(name)}</name>{_documentation(e.documentation)}{e.inside}</element>'
    )


def _exchange_relationship(r: R) -> str:
    name = f"<name>{escape(r.name)}</name>" if r.name else ""
    return (
        f'<relationship identifier={quoteattr(r.number)} xsi:type="{r.type}" source={quoteattr(r.source)}'
        f" target={quoteattr(r.target)} {r.attributes}>{name}{r.inside}</relationship>"
    )


def _archi_element(e: E) -> str:
    name = e.id if e.name is None else e.name
    return (
        f'<element xsi:type="archimate:{e.type}" id={quoteattr(e.id)} name={quoteattr(name)} {e.attributes}>'
        f"{_documentation(e.documentation)}{e.inside}</element>"
    )


def _archi_relationship(r: R) -> str:
    return (
        f'<element xsi:type="archimate:{r.type}Relationship" id={quoteattr(r.number)} name={quoteattr(r.name)}'
        f" source={quoteattr(r.source)} target={quoteattr(r.target)} {r.attributes}>{r.inside}</element>"
    )


def _documentation(text: str) -> str:
    return f"<documentation>{escape(text)}</documentation>" if text else ""


NEIGHBOURS = 50
"""How many elements the hub serves; as many more have nothing to do with it."""


def hub(name: str) -> Sketch:
    """An element with its neighbours, and as many that have nothing to do with it."""
    others = [E(f"{kind}-{number}") for kind in ("near", "far") for number in range(NEIGHBOURS)]
    return sketch(
        [E("hub", name=name), *others], [R("Serving", f"near-{number}", "hub") for number in range(NEIGHBOURS)]
    )


def large_model(elements: int) -> Sketch:
    """A model of so many elements, three relationships each."""
    text = "The ledger of the northern branch, kept by its brokers."
    found = [E(f"e{number}", name=f"Ledger {number}", documentation=text) for number in range(elements)]
    found[0] = E("e0", "Capability", "Banking")
    types = ("Serving", "Flow", "Composition")
    relationships = [
        R(types[number % 3], f"e{number % elements}", f"e{number * 7919 % elements}", f"r{number}")
        for number in range(3 * elements)
    ]
    return sketch(found, relationships)
