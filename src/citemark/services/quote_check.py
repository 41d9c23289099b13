"""Checks a citation that a client sends back: does it still hold, word for word, at HEAD, and did it ever?"""

import asyncio
from dataclasses import dataclass, replace
from unicodedata import normalize

from citemark.evidence.verify import Holds, Reason, locate
from citemark.model.candidates import StoredDocument
from citemark.model.citation import Citation, CitedRevision
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.recognised import confidence_at, recognised_in
from citemark.model.scope import ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.model.text import Span
from citemark.retrieval.access import Access, Policy
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.verification import AccessCheck
from citemark.services.reopening import citation_of
from citemark.services.requests import Caller, CitationRef
from citemark.services.responses import ResponseMeta, Verification
from citemark.services.scoping import Scoping
from citemark.store.documents import DocumentStore

_GONE_AT_SOURCE = (
    "The source does not offer the document any more, and the index has not read that yet: if it was renamed, its new "
    "name is found in a moment."
)
_CHANGED_SINCE = (
    "The document has changed since the revision of found_at was read; its lines are those of that revision."
)
_NOT_READ_YET = (
    "These words are in the document now, but not in the present revision in the index, which reads the document "
    "again: ask for them in a moment."
)
_RENAMED = (
    "The document or its section has another title or place than in the index, which reads it again: ask for the words "
    "in a moment."
)
_STOOD = "The cited revision contained these words."
_NEARLY_STOOD = "The cited revision said something similar, not these words."
_READ_SO = "OCR read these words in a picture of the cited revision."
_BY_OCR = (
    "OCR read these words in a picture, with a confidence of {confidence:.2f}: the picture may show others. Look at it "
    "before you rely on them."
)
_NEVER_STOOD = "The cited revision did not contain these words."


@dataclass(frozen=True, slots=True)
class _Checked:
    """The verdict about the document as it is now, where the words occur in the revision at HEAD, and which that is.

    `reason` is given if the words are gone, and `cited` says what became of the revision that the citation names. Words
    that no revision has yet have no `citation`; `notes` say so. `difference` says how changed words differ. `by_ocr`:
    the words are those that text recognition read in a picture. `unindexed`: the index has no such document.
    """

    holds: Holds
    cited: CitedRevision
    reason: Reason | None = None
    citation: Citation | None = None
    revision_id: str | None = None
    notes: tuple[str, ...] = ()
    difference: str | None = None
    by_ocr: bool = False
    unindexed: bool = False


class QuoteCheckService:
    """Looks a quotation up at HEAD, following renames, after asking the source whether it may be read."""

    def __init__(
        self, pipeline: Pipeline, sources: SourceReader, documents: DocumentStore, access: AccessCheck, scoping: Scoping
    ) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._documents = documents
        self._access = access
        self._scoping = scoping

    async def verify(self, caller: Caller, ref: CitationRef, quote: str) -> Verification:
        """Whether a quotation is still at HEAD where it was cited, has moved or changed, or is gone.

        Raises:
            InvalidArgument: the caller has no such source.
            BackendUnavailable: the source cannot vouch for the document right now.
        """
        allowed = await self._sources.allowed(caller.principal, self._scoping.project)
        context = await self._pipeline.contexts.head()
        source = allowed.named(ref.source)
        if source is None:
            names = ", ".join(source.name for source in allowed.sources) or "none"
            raise InvalidArgument(f"There is no source {ref.source!r} for you; sources: {names}.", source=ref.source)
        reading = allowed.among({source.source_id}).reading
        found = await self._check(allowed, source, ref, quote, context)
        if found.unindexed and not reading.settled:
            raise BackendUnavailable(
                "The document is not in the index, which has not read everything of its source yet; ask again soon."
            )
        if found.cited == "superseded":
            found = await self._with_past(caller, allowed, source, ref, quote, found, context)
        return Verification(
            holds=found.holds,
            cited_revision=found.cited,
            reason=found.reason,
            found_at=found.citation,
            current_revision_id=found.revision_id,
            difference=found.difference,
            by_ocr=found.by_ocr,
            meta=ResponseMeta.of(caller, context, reading=reading, notes=found.notes),
        )

    async def _with_past(
        self,
        caller: Caller,
        allowed: AllowedSources,
        source: Source,
        ref: CitationRef,
        quote: str,
        found: _Checked,
        context: ResolvedContext,
    ) -> _Checked:
        """The verdict extended by what the cited revision said; words that are gone now are cited there."""
        past = await self._documents.at_revision(source.source_id, ref.document_id, ref.revision_id or "")
        if past is None:  # pragma: no cover - a purge took the revision after it was looked up
            return found
        document = past.document
        checked_ref = (
            int(source.source_id),
            DocumentRef(document.page_type, document.page_native_id, document.version),
        )
        access = await self._access.ask(caller.principal, allowed, [checked_ref], Policy.PAST)
        if not access.get(checked_ref, Access.WITHHELD).shown:
            return found
        match = await asyncio.to_thread(locate, quote, document.body, _hint(ref, document))
        if match.span is None or match.holds == "changed":
            said = _NEVER_STOOD if match.difference is None else f"{_NEARLY_STOOD} {match.difference.message}"
            return replace(found, notes=(*found.notes, said))
        past_citation = citation_of(document, source, past.state(context), match.span)
        stood = _STOOD if await self._confidence(allowed, source, document, match.span) is None else _READ_SO
        return replace(found, citation=found.citation or past_citation, notes=(*found.notes, stood))

    async def _confidence(
        self, allowed: AllowedSources, source: Source, document: StoredDocument, span: Span | None
    ) -> float | None:
        """How sure the reading of a part of a document is, of all of it without a span; None if no picture was read."""
        revision = (source.source_id, document.revision_id)
        metadata = await self._documents.metadata(allowed, [revision])
        return confidence_at(recognised_in(metadata.get(revision, {})), span)

    async def _check(
        self, allowed: AllowedSources, source: Source, ref: CitationRef, quote: str, context: ResolvedContext
    ) -> _Checked:
        cited = await self._documents.cited(source.source_id, ref.document_id, ref.revision_id)
        document = await self._documents.latest(source.source_id, ref.document_id, ref.doc_type)
        if document is None:
            return _Checked("gone", cited, "document_gone", unindexed=True)
        verified = await self._access.look(
            source, DocumentRef(document.page_type, document.page_native_id, document.version)
        )
        if verified.gone:
            return _Checked("gone", cited, "document_gone", notes=(_GONE_AT_SOURCE,))
        if verified.verdict is not Verdict.OK and verified.body is None:
            raise BackendUnavailable("The document cannot be checked at its source right now; try again.")
        body = document.body if verified.body is None else verified.body
        match = await asyncio.to_thread(locate, quote, body, _hint(ref, document))
        revision_id = str(document.revision_id)
        if match.span is None:
            return _Checked(match.holds, cited, "words_gone", revision_id=revision_id)
        renamed = normalize("NFC", document.native_id) != normalize("NFC", ref.document_id)
        holds: Holds = "moved" if match.holds == "exact" and renamed else match.holds
        span, notes = await _recorded(document, body, match.span)
        if not verified.has(document.title, document.section_slug):
            span, notes = None, (_RENAMED,)
        citation = None if span is None else citation_of(document, source, context, span)
        difference = None if match.difference is None else match.difference.message
        confidence = None if holds == "changed" else await self._confidence(allowed, source, document, span)
        if confidence is not None:
            holds, difference = "changed", _BY_OCR.format(confidence=confidence)
        return _Checked(
            holds,
            cited,
            citation=citation,
            revision_id=revision_id,
            notes=notes,
            difference=difference,
            by_ocr=confidence is not None,
        )


async def _recorded(document: StoredDocument, body: str, found: Span) -> tuple[Span | None, tuple[str, ...]]:
    """Where the words that were found in `body` occur in the revision at HEAD, and notes about that."""
    if body == document.body:
        return found, ()
    recorded = await asyncio.to_thread(locate, found.of(body), document.body, found)
    if recorded.span is None or recorded.holds == "changed":
        return None, (_NOT_READ_YET,)
    return recorded.span, (_CHANGED_SINCE,)


def _hint(ref: CitationRef, document: StoredDocument) -> Span | None:
    if ref.start_char is None or ref.end_char is None or ref.end_char < ref.start_char:
        return document.span if document.section_slug is not None else None
    return Span(ref.start_char, ref.end_char)
