"""Documents by identity: what a citation points to, and its successor after a rename."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from unicodedata import normalize

from citemark.model.baselines import RECORDS_BEGIN
from citemark.model.candidates import StoredDocument
from citemark.model.citation import CitedRevision
from citemark.model.ids import NativeId, RevisionId, SourceId, Version
from citemark.model.scope import ResolvedContext
from citemark.model.sources import AllowedSources
from citemark.model.text import Span
from citemark.store.database import Database, Row

_LONGEST_CHAIN = 20
"""The most renames that are followed; a longer chain is a loop of names passed back and forth."""

_BIGGEST = 2**63
"""The first number that a bigint column cannot hold."""


@dataclass(frozen=True, slots=True)
class PastDocument:
    """A document at one of its revisions.

    `head`: whether that is the current revision. `keeps_history`: whether its source keeps superseded revisions.
    `commit`: the state of the last recorded baseline that includes it, if only commits of a repository have it.
    """

    document: StoredDocument
    recorded_at: datetime
    head: bool
    keeps_history: bool
    commit: ResolvedContext | None = None

    def state(self, head: ResolvedContext) -> ResolvedContext:
        """A state that has this revision, given the present one."""
        if self.head:
            return head
        if self.recorded_at >= RECORDS_BEGIN:
            return ResolvedContext(as_of=self.recorded_at)
        return self.commit or ResolvedContext(as_of=head.as_of)


@dataclass(frozen=True, slots=True)
class KeptRevision:
    """A revision of a page, when it was recorded, and whether it is the current one."""

    revision_id: str
    recorded_at: datetime
    head: bool


class DocumentStore:
    """Looks up documents at HEAD, and at cited revisions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, source_id: SourceId, native_id: str, doc_type: str | None = None) -> StoredDocument | None:
        """The document with that identity at HEAD, or None if there is none."""
        params = {"source_id": source_id, "native_ids": _spellings(native_id), "doc_type": doc_type}
        row = await self._database.one("document_find", params)
        return None if row is None else _document(row)

    async def metadata(
        self, allowed: AllowedSources, revisions: Sequence[tuple[SourceId, RevisionId]]
    ) -> dict[tuple[SourceId, RevisionId], Mapping[str, str]]:
        """The metadata of revisions, by source and revision."""
        params = {
            "source_ids": allowed.ids,
            "sources": [source_id for source_id, _ in revisions],
            "revisions": [revision_id for _, revision_id in revisions],
        }
        rows = await self._database.fetch("revision_metadata", params)
        return {(SourceId(row["source_id"]), RevisionId(row["revision_id"])): row["metadata"] for row in rows}

    async def at_revision(self, source_id: SourceId, native_id: str, revision_id: str) -> PastDocument | None:
        """The document at one of its revisions, and when that was recorded; None if the revision is not kept."""
        number = _number(revision_id)
        if number is None:
            return None
        params = {
            "source_id": source_id,
            "native_ids": _spellings(native_id),
            "revision_id": number,
            "records_begin": RECORDS_BEGIN,
        }
        row = await self._database.one("document_at_revision", params)
        if row is None:
            return None
        named = row["baseline"] is not None
        commit = ResolvedContext(row["baseline_made_at"], row["baseline"], row["baseline_at"]) if named else None
        return PastDocument(_document(row), row["valid_from"], row["head"], row["keep_history"], commit)

    async def revisions(self, source_id: SourceId, page_id: str, limit: int) -> tuple[KeptRevision, ...]:
        """The revisions of a page that are kept, newest first, at most `limit`."""
        params = {"source_id": source_id, "native_id": page_id, "records_begin": RECORDS_BEGIN, "limit": limit}
        rows = await self._database.fetch("document_revisions", params)
        return tuple(KeptRevision(str(row["revision_id"]), row["valid_from"], row["head"]) for row in rows)

    async def cited(self, source_id: SourceId, native_id: str, revision_id: str | None) -> CitedRevision:
        """The state of a cited revision; unknown also if the citation names none, or one of another document."""
        number = _number(revision_id)
        if number is None:
            return "unknown"
        params = {"source_id": source_id, "native_ids": _spellings(native_id), "revision_id": number}
        row = await self._database.one("revision_cited", params)
        if row is None:
            return "unknown"
        return "known" if row["head"] else "superseded"

    async def latest(self, source_id: SourceId, native_id: str, doc_type: str | None = None) -> StoredDocument | None:
        """The document itself or, once it is gone, the one that succeeds it, even after several renames.

        A section of a renamed page is looked up under the page's new name.
        """
        seen: set[str] = set()
        while native_id not in seen and len(seen) < _LONGEST_CHAIN:
            seen.add(native_id)
            document = await self.find(source_id, native_id, doc_type)
            if document is not None:
                return document
            successor = await self._successor(source_id, native_id)
            page, mark, slug = native_id.partition("#")
            if successor is None and mark:
                renamed = await self._successor(source_id, page)
                successor = None if renamed is None else f"{renamed}#{slug}"
            if successor is None:
                return None
            native_id, doc_type = successor, None
        return None

    async def _successor(self, source_id: SourceId, native_id: str) -> str | None:
        row = await self._database.one("document_successor", {"source_id": source_id, "native_id": native_id})
        return None if row is None else row["native_id"]


def _spellings(native_id: str) -> list[str]:
    """An id as given, and with the letters of its path and of its section composed and decomposed.

    A file's name may be stored in either way, whatever its text does, and people and programs type the first.
    """
    if native_id.isascii():
        return [native_id]
    path, mark, slug = native_id.partition("#")
    paths, slugs = ((part, normalize("NFC", part), normalize("NFD", part)) for part in (path, slug))
    return list(dict.fromkeys(f"{one}{mark}{other}" for one in paths for other in slugs))


def _number(revision_id: str | None) -> int | None:
    """The number of a revision from a citation, or None if it is not a valid number."""
    if not revision_id or not revision_id.isascii() or not revision_id.isdecimal():
        return None
    number = int(revision_id)
    return number if number < _BIGGEST else None


def _document(row: Row) -> StoredDocument:
    whole = Span(0, len(row["body"]))
    return StoredDocument(
        doc_type=row["doc_type"],
        native_id=NativeId(row["native_id"]),
        page_type=row["page_type"],
        page_native_id=NativeId(row["page_native_id"]),
        revision_id=RevisionId(row["revision_id"]),
        version=Version(row["version"]),
        title=row["section_title"] or row["title"],
        section_slug=row["slug"],
        url=row["url"],
        body=row["body"],
        span=whole if row["start_char"] is None else Span(row["start_char"], row["end_char"]),
    )
