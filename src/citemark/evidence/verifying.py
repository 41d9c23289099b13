"""Checking a citation that was given back: does it still hold, word for word, at HEAD?"""

from dataclasses import dataclass

from citemark.evidence.requests import CitationRef
from citemark.evidence.verify import Holds, locate
from citemark.model.addresses import address_of
from citemark.model.candidates import StoredDocument
from citemark.model.citation import Anchor, Citation, lines_of
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.read_context import ResolvedContext
from citemark.model.sources import Fence, Source
from citemark.model.text import Span
from citemark.retrieval.verification import AccessCheck
from citemark.store.documents import DocumentStore


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict; where the words stand now, if they do; and the revision at HEAD."""

    holds: Holds
    citation: Citation | None = None
    revision_id: str | None = None


class QuoteCheck:
    """Looks a quotation up at HEAD, following renames, after asking the source whether it may be read."""

    def __init__(self, documents: DocumentStore, access: AccessCheck) -> None:
        self._documents = documents
        self._access = access

    async def check(self, fence: Fence, ref: CitationRef, quote: str, context: ResolvedContext) -> Checked:
        """Compare.

        Raises:
            InvalidArgument: the asker has no such source.
            BackendUnavailable: the source cannot vouch for the document right now.
        """
        source = fence.named(ref.source)
        if source is None:
            names = ", ".join(source.name for source in fence.sources) or "none"
            raise InvalidArgument(f"There is no source {ref.source!r} for you; sources: {names}.", source=ref.source)
        document = await self._documents.latest(source.source_id, ref.document_id, ref.doc_type)
        if document is None:
            return Checked("gone")
        verified = await self._access.look(
            source, DocumentRef(document.page_type, document.page_native_id, document.version)
        )
        if verified.verdict is Verdict.GONE:
            return Checked("gone")
        if verified.verdict is Verdict.UNKNOWN:
            raise BackendUnavailable("The document cannot be checked at its source right now; try again.")
        body = document.body if verified.body is None else verified.body
        found = locate(quote, body, _hint(ref, document))
        if found.span is None:
            return Checked(found.holds, None, str(document.revision_id))
        holds: Holds = "moved" if found.holds == "exact" and document.native_id != ref.document_id else found.holds
        return Checked(holds, _citation(document, source, context, body, found.span), str(document.revision_id))


def _hint(ref: CitationRef, document: StoredDocument) -> Span | None:
    if ref.start_char is None or ref.end_char is None or ref.end_char < ref.start_char:
        return document.span if document.section_slug is not None else None
    return Span(ref.start_char, ref.end_char)


def _citation(document: StoredDocument, source: Source, context: ResolvedContext, body: str, span: Span) -> Citation:
    return Citation(
        source=source.name,
        doc_type=document.doc_type,
        document_id=document.native_id,
        revision_id=str(document.revision_id),
        baseline_id=context.baseline_id,
        as_of=context.as_of,
        anchor=Anchor(heading=document.section_slug, lines=lines_of(body, span), chars=span),
        span=span,
        title=document.title,
        url=address_of(document.url, document.page_native_id, document.section_slug),
    )
