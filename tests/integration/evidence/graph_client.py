"""Documents and a model that are one graph, and a client of the graph tools over them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from mcp import Client
from tests.integration.retrieval.world import World
from tests.support.groups import groups
from tests.support.models import model_source
from tests.support.pages import page_of
from tests.unit.tools.clients import connected

from citemark.model.documents import StatedRelationship
from citemark.model.graph import IN_FOLDER, LINKS_TO, MENTIONS, NAMED, USES_CODE, Entity, EntityKind
from citemark.model.ids import NativeId
from citemark.model.sources import Source
from citemark.model.text import Span
from citemark.tools.index_contents import ToolGroups

GRAPH = groups(capabilities=("architecture",), graph=True)
PAST = groups(capabilities=("architecture",), past=True, graph=True)


def link(target: str, section: str | None = None) -> StatedRelationship:
    return StatedRelationship(LINKS_TO, section, NativeId(target), None, Span(0, 1))


def entity(kind: str, name: str, type_: str, section: str | None = None, at: int = 0) -> StatedRelationship:
    named = Entity(EntityKind(kind), name)
    return StatedRelationship(type_, section, None, None, Span(at, at + len(name)), to_entity=named)


def folder(name: str) -> StatedRelationship:
    return StatedRelationship(IN_FOLDER, None, NativeId(name), None, Span(0, 1), metadata={"doc_type": "folder"})


async def write(world: World, source: Source, native_id: str, body: str, *stated: StatedRelationship) -> None:
    world.memory[source.source_id].texts[native_id] = body
    page = page_of(source.source_id, native_id, body, title=body.split("\n", 1)[0].strip("# "), relationships=stated)
    version = world.memory[source.source_id].version(native_id)
    await world.index.put_page(source, replace(page, version=version))  # type: ignore[arg-type]


PORTAL = "# Portal guide\n\nStart here.\n\n## Claims\n\nThe Web portal takes claims; see `kb_search`.\n"
STEPS = "# Steps\n\nWhat happens to a claim.\n"


async def docs_and_model(world: World) -> tuple[Source, Source]:
    """Two pages that link to each other; a section of the first mentions an element, which the model names so."""
    docs = await world.source("docs", {})
    at = PORTAL.index("Web portal")
    await write(
        world,
        docs,
        "guides/portal.md",
        PORTAL,
        link("guides/steps.md", "portal-guide"),
        entity("term", "portal guide", NAMED),
        entity("term", "web portal", MENTIONS, "claims", at),
        entity("code", "kb_search", USES_CODE, "claims", PORTAL.index("kb_search")),
        folder("guides"),
    )
    await write(world, docs, "guides/steps.md", STEPS, entity("term", "steps", NAMED), folder("guides"))
    model = await model_source(world)
    for native_id, name in (("e1", "web portal"), ("e2", "crm system")):
        await _bear(world, model, native_id, name)
    await world.scanned(docs)
    return docs, model


async def _bear(world: World, model: Source, native_id: str, name: str) -> None:
    """Let an element of the model bear its name, as its reader would."""
    await world.index.rows(
        "INSERT INTO relationship (source_id, page_id, from_document_id, type, to_kind, to_name, to_key, revision_id,"
        " start_char, end_char, valid_from) SELECT d.source_id, d.document_id, d.document_id, 'named', 'term', %s,"
        " node_key(0, 'term', %s), r.revision_id, 0, 1, d.valid_from FROM document d JOIN revision r"
        " USING (source_id, document_id) WHERE d.source_id = %s AND d.native_id = %s",
        name,
        name,
        model.source_id,
        native_id,
    )


@asynccontextmanager
async def asking(world: World, families: ToolGroups = GRAPH, **settings: Any) -> AsyncGenerator[Client]:
    async with connected(world.services, families=families, **settings) as client:
        yield client


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(f"graph_{name}", arguments)
    assert not result.is_error, result
    return result.structured_content


def edges_of(found: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(edge["from_id"], edge["type"], edge["to_id"]) for edge in found["edges"]}


PAGE = "docs:docs_page:guides/portal.md"
CLAIMS = "docs:section:guides/portal.md#claims"
