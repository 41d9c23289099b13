"""Whole texts of sections and pages by node id, each vouched for by its source at the time of the call."""

from collections.abc import Sequence
from dataclasses import dataclass

from citemark.features.graph.services.exploration import GraphService
from citemark.features.graph.services.open_graph import OpenGraph
from citemark.features.graph.services.requests import GraphScope
from citemark.model.candidates import StoredDocument
from citemark.model.citation import Citation
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.sources import Source
from citemark.model.walks import NodeName
from citemark.retrieval.verification import AccessCheck
from citemark.services.quote_check import citation_of
from citemark.services.requests import Caller
from citemark.services.responses import NotShown, ResponseMeta
from citemark.store.documents import DocumentStore


@dataclass(frozen=True, slots=True)
class SectionText:
    """The text of one section or page, with its citation."""

    node_id: str
    title: str
    text: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class SectionTexts:
    """Texts in the order requested, and the ids for which there is no text."""

    texts: tuple[SectionText, ...]
    unknown: tuple[str, ...]
    meta: ResponseMeta


class SectionTextService:
    """Reads sections; a text that its source does not confirm word for word is treated as missing."""

    def __init__(self, graph: GraphService, documents: DocumentStore, access: AccessCheck) -> None:
        self._graph = graph
        self._documents = documents
        self._access = access

    async def read(self, caller: Caller, node_ids: Sequence[str]) -> SectionTexts:
        """The texts of sections and pages.

        Raises:
            ScopeViolation, BackendUnavailable.
        """
        opened, _ = await self._graph.open(caller, GraphScope(), ())
        found: dict[str, SectionText] = {}
        withheld = 0
        for node_id in dict.fromkeys(node_ids):
            name = opened.name_of(node_id)
            text, verdict = (None, Verdict.GONE) if name is None else await self._text(opened, node_id, name)
            withheld += verdict is Verdict.UNKNOWN
            if text is not None:
                found[node_id] = text
        unknown = tuple(node_id for node_id in dict.fromkeys(node_ids) if node_id not in found)
        meta = ResponseMeta.of(
            caller, opened.context, reading=opened.allowed.reading, not_shown=NotShown(withheld), notes=opened.notes
        )
        return SectionTexts(tuple(found.values()), unknown, meta)

    async def _text(self, opened: OpenGraph, node_id: str, name: NodeName) -> tuple[SectionText | None, Verdict]:
        source = opened.allowed.source(name.source_id)
        document = None if source is None else await self._documents.find(source.source_id, name.name, name.kind)
        if source is None or document is None:
            return None, Verdict.GONE
        return await self._vouched(opened, node_id, source, document)

    async def _vouched(
        self, opened: OpenGraph, node_id: str, source: Source, document: StoredDocument
    ) -> tuple[SectionText | None, Verdict]:
        ref = DocumentRef(document.page_type, document.page_native_id, document.version)
        verified = await self._access.look(source, ref)
        text = document.span.of(document.body)
        if not verified.confirms(text, document.title, document.section_slug):
            return None, Verdict.GONE if verified.gone else Verdict.UNKNOWN
        citation = citation_of(document, source, opened.context, document.span)
        return SectionText(node_id, document.title, text, citation), Verdict.OK
