"""What a citation refers to, as it was at its revision: its lines, or its whole document around them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from citemark.evidence.readable import part_as_read
from citemark.model.candidates import StoredDocument
from citemark.model.citation import Anchor, Citation, address_of
from citemark.model.documents import DocumentRef
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.scope import ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.model.text import Lines, Span, lines_of
from citemark.retrieval.access import Access, Policy
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.read_contexts import ReadContexts
from citemark.retrieval.verification import AccessCheck
from citemark.services.requests import Caller, CitationRef
from citemark.services.scoping import Scoping
from citemark.store.documents import DocumentStore, KeptRevision, PastDocument

_MOST_REVISIONS = 50
"""Revisions that are listed with a document, the newest ones."""


@dataclass(frozen=True, slots=True)
class ReopenedLines:
    """Whole lines around what was cited; `superseded` means that the document has changed since, or is gone."""

    citation: Citation
    text: str
    superseded: bool


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A whole document at one of its revisions.

    Attributes:
        citation: of what was cited; its span counts characters of `body`.
        page_id: the id of the page that the document is, or is a section of.
        body: the text of the page.
        superseded: whether the page has changed since, or is gone.
        revisions: those of the page that are kept, newest first.
    """

    citation: Citation
    page_id: str
    body: str
    superseded: bool
    revisions: tuple[KeptRevision, ...] = ()

    @property
    def is_part(self) -> bool:
        """Whether a part of the page was cited, and not all of it."""
        return self.citation.span != Span(0, len(self.body))


@dataclass(frozen=True, slots=True)
class _Opened:
    """A document that may be shown, as far as `span`, and its source."""

    source: Source
    found: PastDocument
    span: Span


class ReopenService:
    """Opens citations again, after asking the source whether the document may be read."""

    def __init__(
        self,
        contexts: ReadContexts,
        sources: SourceReader,
        documents: DocumentStore,
        access: AccessCheck,
        scoping: Scoping,
    ) -> None:
        self._contexts = contexts
        self._sources = sources
        self._documents = documents
        self._access = access
        self._scoping = scoping

    async def reopen(self, caller: Caller, ref: CitationRef) -> ReopenedLines:
        """The cited lines as they were at the cited revision; all lines if the citation names none.

        Raises:
            InvalidArgument: the caller has no such source, or the source has no such document or revision (any more).
            BackendUnavailable: the source cannot vouch for the document right now.
        """
        opened = await self._open(caller, ref, _lines_around)
        document = opened.found.document
        head = await self._contexts.head()
        citation = citation_of(document, opened.source, opened.found.state(head), opened.span)
        return ReopenedLines(citation, part_as_read(document.body, opened.span), not opened.found.head)

    async def document(self, caller: Caller, ref: CitationRef) -> ReadDocument:
        """The whole page of a cited document as it was at the cited revision; as it is now if the citation names none.

        Raises:
            InvalidArgument, BackendUnavailable: as for `reopen`.
        """
        ref = await self.known(caller, ref) or ref
        opened = await self._open(caller, ref, _whole)
        document = opened.found.document
        head = await self._contexts.head()
        citation = citation_of(document, opened.source, opened.found.state(head), _cited_span(ref, document))
        kept = await self._documents.revisions(opened.source.source_id, document.page_native_id, _MOST_REVISIONS)
        return ReadDocument(citation, document.page_native_id, document.body, not opened.found.head, kept)

    async def _open(
        self, caller: Caller, ref: CitationRef, part: Callable[[CitationRef, StoredDocument], Span]
    ) -> _Opened:
        """A cited document, of which the source confirms that `part` may be shown."""
        allowed = await self._sources.allowed(caller.principal, self._scoping.project)
        source = allowed.named(ref.source)
        if source is None:
            names = ", ".join(source.name for source in allowed.sources) or "none"
            raise InvalidArgument(f"There is no source {ref.source!r} for you; sources: {names}.", source=ref.source)
        found = await self._documents.at_revision(source.source_id, ref.document_id, ref.revision_id or "")
        shown = Span(0, 0) if found is None else part(ref, found.document)
        verdict = Access.DROPPED if found is None else await self._verdict(caller, allowed, source, found, shown)
        if found is None or verdict is Access.DROPPED:
            raise InvalidArgument(
                f"{source.name} has no {ref.document_id[:200]!r} at revision {(ref.revision_id or 'none')[:20]}, or it "
                "is not kept.",
                document_id=ref.document_id[:200],
            )
        if not verdict.shown:
            raise BackendUnavailable(
                "The document cannot be checked at its source right now, or has changed there and has not been read "
                "again yet; try again."
            )
        return _Opened(source, found, shown)

    async def known(self, caller: Caller, ref: CitationRef) -> CitationRef | None:
        """The citation, with the present revision if it names none; None if there is no such document or revision."""
        allowed = await self._sources.allowed(caller.principal, self._scoping.project)
        source = allowed.named(ref.source)
        if source is None:
            return None
        if ref.revision_id is None:
            latest = await self._documents.find(source.source_id, ref.document_id)
            return None if latest is None else replace(ref, revision_id=str(latest.revision_id))
        found = await self._documents.at_revision(source.source_id, ref.document_id, ref.revision_id)
        return None if found is None else ref

    async def _verdict(
        self, caller: Caller, allowed: AllowedSources, source: Source, found: PastDocument, lines: Span
    ) -> Access:
        """Whether lines of a revision may be shown.

        If no history is kept of an account, what was changed there is about to be deleted here, so the lines must still
        be part of the document.
        """
        document = found.document
        page = DocumentRef(document.page_type, document.page_native_id, document.version)
        if found.head and not found.keeps_history and self._access.is_remote(source):
            verified = await self._access.look(source, page)
            if verified.confirms(lines.of(document.body), document.title, document.section_slug):
                return Access.STANDS
            return Access.DROPPED if verified.gone else Access.WITHHELD
        checked_ref = (int(source.source_id), page)
        access = await self._access.ask(caller.principal, allowed, [checked_ref], Policy.PAST)
        return access.get(checked_ref, Access.WITHHELD)


def citation_of(document: StoredDocument, source: Source, context: ResolvedContext, span: Span) -> Citation:
    """The citation of a part of a document's body."""
    return Citation(
        source=source.name,
        doc_type=document.doc_type,
        document_id=document.native_id,
        revision_id=str(document.revision_id),
        baseline_id=context.baseline_id,
        as_of=context.as_of,
        anchor=Anchor(heading=document.section_slug, lines=lines_of(document.body, span), chars=span),
        span=span,
        title=document.title,
        url=address_of(document.url, document.page_native_id, document.section_slug),
    )


def _cited_span(ref: CitationRef, document: StoredDocument) -> Span:
    """The cited span in the body; the whole section or page if the citation has no valid span."""
    if ref.lines is not None:
        return _span_of(document.body, ref.lines) or document.span
    if ref.start_char is None or ref.end_char is None or not ref.start_char < ref.end_char <= len(document.body):
        return document.span
    return Span(ref.start_char, ref.end_char)


def _span_of(body: str, lines: Lines) -> Span | None:
    """The characters of some lines; None if the body ends before them."""
    every = body.split("\n")
    if not 1 <= lines.start <= min(lines.end, len(every)):
        return None
    start = sum(len(line) + 1 for line in every[: lines.start - 1])
    return Span(start, start + len("\n".join(every[lines.start - 1 : lines.end])))


def _lines_around(ref: CitationRef, document: StoredDocument) -> Span:
    return _whole_lines(document.body, _cited_span(ref, document))


def _whole(_: CitationRef, document: StoredDocument) -> Span:
    return Span(0, len(document.body))


def _whole_lines(body: str, span: Span) -> Span:
    start = body.rfind("\n", 0, span.start) + 1
    end = body.find("\n", max(start, span.end - 1))
    return Span(start, len(body) if end < 0 else end)
