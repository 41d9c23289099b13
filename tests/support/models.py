"""A small architecture model in the index, as a reader of models would put it there."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tests.integration.retrieval.world import World
from tests.support.index import Index
from tests.support.memory_source import MemorySource
from tests.support.pages import page_of

from citemark.model.documents import DocumentKey, Listed, StatedRelationship
from citemark.model.ids import NativeId, Version
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode
from citemark.model.ledger import Want
from citemark.model.sources import NewSource, Source
from citemark.model.text import Span


@dataclass(frozen=True, slots=True)
class Element:
    name: str
    type: str
    layer: str
    says: str = ""
    capability: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    type: str
    start: str
    end: str
    metadata: Mapping[str, str]


VERBS = {"Serving": "serves", "Realization": "realizes", "Access": "accesses", "Flow": "flows to"}
INVERSE = {"Serving": "is served by", "Realization": "is realized by", "Access": "is accessed by", "Flow": "is fed by"}

ELEMENTS = {
    "e1": Element("Web portal", "ApplicationComponent", "application", "Where customers hand in a claim.", "Sales"),
    "e2": Element(
        "CRM System", "ApplicationComponent", "application", "Keeps the addresses of customers.", "Sales\nCare"
    ),
    "e3": Element("Handle Claim", "BusinessProcess", "business", "From the damage report to the payment."),
    "e4": Element("Claim Registration Service", "BusinessService", "business", "Takes damage reports."),
    "e5": Element("Mainframe", "Node", "technology", "The big machine in the cellar."),
    "e6": Element("CRM", "ApplicationComponent", "application", "An older one, to be replaced."),
    "e7": Element("Customer", "BusinessActor", "business", "Pays premiums."),
    "e8": Element("Reduce cost", "Goal", "motivation", "Ten percent by next year."),
}
LINKS = {
    "r1": Link("Serving", "e2", "e1", {"name": "customer data"}),
    "r2": Link("Realization", "e3", "e4", {}),
    "r3": Link("Access", "e1", "e2", {"access": "read"}),
    "r4": Link("Serving", "e5", "e2", {}),
    "r5": Link("Flow", "e7", "e1", {}),
}
LAYOUT = Layout(
    (
        LayoutNode("g", "group", "Front office", 10, 10, 400, 200),
        LayoutNode("n1", "element", "Web portal", 30, 40, 120, 55, "g", "e1", "ApplicationComponent", "application"),
        LayoutNode("n2", "element", "CRM System", 250, 40, 120, 55, "g", "e2", "ApplicationComponent", "application"),
        LayoutNode("n5", "element", "Mainframe", 250, 260, 120, 55, None, "e5", "Node", "technology"),
    ),
    (
        LayoutConnection("c1", "n2", "n1", "Serving", "r1"),
        LayoutConnection("c4", "n5", "n2", "Serving", "r4"),
    ),
)


def text_of(ident: str, elements: Mapping[str, Element] = ELEMENTS, links: Mapping[str, Link] = LINKS) -> str:
    """The contextual text of an element."""
    element = elements[ident]
    lines = [f"{element.name} is a {element.type} in the {element.layer} layer."]
    for link in links.values():
        if link.start == ident:
            verb = VERBS.get(link.type, f"has a {link.type} to")
            lines.append(f"It {verb} {elements[link.end].name} ({elements[link.end].type}).")
        elif link.end == ident:
            verb = INVERSE.get(link.type, f"has a {link.type} from")
            lines.append(f"It {verb} {elements[link.start].name} ({elements[link.start].type}).")
    lines += [f"It belongs to the {name} capability." for name in element.capability.split("\n") if name]
    return "\n".join([*lines, f"Description: {element.says}"])


async def model_source(
    world: World,
    name: str = "insurance",
    *,
    capability: str = "architecture",
    elements: Mapping[str, Element] = ELEMENTS,
    links: Mapping[str, Link] = LINKS,
    embedded: bool = True,
) -> Source:
    """A model whose elements, relationships and one view are indexed."""
    index = world.index
    config = {"path": f"/models/{name}.archimate", "capability": capability}
    source = await index.stores.sources.add(NewSource(name=name, kind="archimate", config=config))
    memory = world.memory[source.source_id] = MemorySource()
    target = await index.stores.vectors.ensure(world.model.identity)
    for ident, element in elements.items():
        stated = [
            StatedRelationship(link.type, None, NativeId(link.end), None, Span(0, 1), number, link.metadata)
            for number, link in links.items()
            if link.start == ident
        ]
        metadata = {"element_type": element.type, "layer": element.layer, "name": element.name}
        if element.capability:
            metadata["capability"] = element.capability
        await put(
            index, memory, source, "element", ident, element.name, text_of(ident, elements, links), stated, metadata
        )
    text = "Portal view shows Web portal, CRM System and Mainframe."
    await put(index, memory, source, "view", "v1", "Portal view", text, [], {"layout": LAYOUT.as_json()})
    await index.stores.segments.flush()
    if embedded:
        await index.embed(target, lambda texts: world.model.embed_documents(texts).tolist())
    return source


async def put(
    index: Index,
    memory: MemorySource,
    source: Source,
    doc_type: str,
    native_id: str,
    name: str,
    text: str,
    stated: list[StatedRelationship],
    metadata: Mapping[str, str],
) -> None:
    """Index one part of a model, from listing to commit."""
    memory.texts[native_id] = text
    page = page_of(source.source_id, native_id, text, title=name, relationships=tuple(stated))
    page = replace(page, key=DocumentKey(source.source_id, doc_type, NativeId(native_id)), metadata=metadata)
    listed = Listed(doc_type, NativeId(native_id), Version(memory.version(native_id)))
    await index.stores.ledger.record(source.source_id, [Want(listed)])
    await index.claim(source.source_id)
    await index.stores.pages.apply(page, index.worker)
