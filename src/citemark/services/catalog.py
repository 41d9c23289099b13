"""The sources that a caller may read: how far each is indexed, and where its files are on this machine.

A local path is not part of a citation. It is shown only to the person whose machine it is, by the tools and commands
that speak to that person.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from citemark.model.citation import Citation, address_of
from citemark.model.document_counts import DocumentCounts
from citemark.model.errors import UnknownCursor
from citemark.model.scope import Filters, Principal, ReadContext, RequestScope
from citemark.model.sources import Source
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SourceReader
from citemark.services.advice import empty_for_reader
from citemark.services.empty import EmptyResult, no_source
from citemark.services.requests import Caller
from citemark.services.responses import NotShown, ResponseMeta, SourceList
from citemark.services.scoping import Scoping
from citemark.sources.kinds import SourceKinds


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file, and the link that opens it at the cited place, in programs that can do so."""

    path: Path
    link: str

    def as_dict(self) -> dict[str, str]:
        """JSON form."""
        return {"path": str(self.path), "link": self.link}


@dataclass(frozen=True, slots=True)
class LocalFiles:
    """The files of some sources, by the names of the sources."""

    sources: Mapping[str, Source]
    kinds: SourceKinds

    @classmethod
    def among(cls, sources: Iterable[Source], kinds: SourceKinds) -> "LocalFiles":
        """The files of these sources."""
        return cls({source.name: source for source in sources}, kinds)

    def of(self, citation: Citation) -> LocalFile | None:
        """The file of a citation; None if it is not on this machine (an account, another machine's folder)."""
        return self.at(citation.source, citation.document_id, citation.anchor.heading)

    def at(self, source: str, document_id: str, heading: str | None) -> LocalFile | None:
        """Like `of`, for the parts of a citation."""
        found = self.sources.get(source)
        page = self.page_of(document_id, heading)
        path = None if found is None else self.kinds.of(found).file_of(found.config, page)
        if path is None or not path.is_absolute() or not path.is_file():
            return None
        link = address_of(path.as_uri(), path.name, heading)
        return LocalFile(path, link or path.as_uri())

    @staticmethod
    def page_of(document_id: str, heading: str | None) -> str:
        """The id of the page that a citation's document is, or is a section of."""
        return document_id.removesuffix(f"#{heading}") if heading else document_id


class SourceCatalog:
    """Lists the sources of a caller, and tells whether they explain why a list is empty."""

    def __init__(self, pipeline: Pipeline, sources: SourceReader, scoping: Scoping, kinds: SourceKinds) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._scoping = scoping
        self._kinds = kinds

    async def list_sources(self, caller: Caller, cursor: str | None = None) -> SourceList:
        """The sources of this server's project that the caller may read, by name; `cursor` is the last one seen.

        Raises:
            UnknownCursor: no source has the name in the cursor.
        """
        allowed = await self._sources.allowed(caller.principal, self._scoping.project)
        sources = sorted(await self._scoping.states(allowed), key=lambda each: each.source.name)
        names = [each.source.name for each in sources]
        if cursor is not None and cursor not in names:
            raise UnknownCursor
        remaining = sources if cursor is None else sources[names.index(cursor) + 1 :]
        context = await self._pipeline.contexts.head()
        empty = None if sources else no_source()
        return SourceList(
            tuple(remaining), ResponseMeta.of(caller, context, reading=allowed.reading, not_shown=NotShown(empty=empty))
        )

    async def counts(
        self, caller: Caller, scope: RequestScope, filters: Filters, read_context: ReadContext
    ) -> DocumentCounts:
        """How many documents each further limit of a search would leave, among those that the caller may read.

        Raises:
            ScopeViolation: the scope names another project.
            InvalidArgument: the state cannot be read.
        """
        applied = self._scoping.apply(scope)
        allowed = await self._sources.allowed(caller.principal, replace(applied, source=None, doc_tags=()))
        if not allowed.sources:
            return DocumentCounts()
        state = await self._pipeline.contexts.open(read_context, allowed)
        return await self._scoping.counts(state.allowed, applied, filters)

    async def explained(
        self, caller: Caller, scope: RequestScope, meta: ResponseMeta, nothing: EmptyResult
    ) -> ResponseMeta:
        """The metadata of a result without rows, with the reason; `nothing` if all sources of the scope could be read.

        Raises:
            ScopeViolation: the scope names another project.
        """
        scope = self._scoping.apply(scope)
        allowed = await self._sources.allowed(caller.principal, scope)
        withheld = meta.withheld_unverified
        empty = await self._scoping.explain_absence(allowed, nothing, scope=scope, withheld=withheld)
        return replace(meta, empty=empty_for_reader(empty, caller.principal))

    async def local_files(self, caller: Caller) -> LocalFiles:
        """The files on this machine that citations refer to; none for anyone but the person whose machine it is."""
        if caller.principal.key != Principal.local().key:
            return LocalFiles({}, self._kinds)
        return LocalFiles.among(await self._sources.all(caller.principal.tenant), self._kinds)
