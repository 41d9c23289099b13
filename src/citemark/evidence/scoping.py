"""What a call reads: the sources and documents that it is limited to, and why these held nothing for it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from citemark.evidence.empty import AskedSource, EmptyResult, EmptySearch, explain, other_languages
from citemark.evidence.scopes import ScopeDefaults
from citemark.evidence.unknown_values import refusal
from citemark.model.accounts import NEXTCLOUD, app_of
from citemark.model.citation import iso
from citemark.model.errors import InvalidArgument
from citemark.model.languages import DENSE, DENSE_LANGUAGES
from citemark.model.scope import CAPABILITY, Filters, Limit, LimitKind, Principal, RequestScope, limits_of
from citemark.model.sources import AllowedSources
from citemark.store.scope import ScopeStore

ModelLanguages = Callable[[], Awaitable[Sequence[str]]]
"""The languages that the embedding model was made for; none when it reads all."""


class Scoping:
    """Settles the limits of calls, and looks at what lies within them."""

    def __init__(self, defaults: ScopeDefaults, store: ScopeStore, model_languages: ModelLanguages) -> None:
        self._defaults = defaults
        self._store = store
        self._model_languages = model_languages

    def apply(self, scope: RequestScope) -> RequestScope:
        """The scope that a call runs under.

        Raises:
            ScopeViolation: the call names another project.
        """
        return self._defaults.apply(scope)

    async def settle(
        self, principal: Principal, scope: RequestScope, filters: Filters | None = None
    ) -> tuple[RequestScope, Filters]:
        """The scope and filters that a call runs under: defaults filled in, names of capabilities as models spell them.

        Raises:
            ScopeViolation: the call names another project.
            InvalidArgument: it names a value that none of the caller's sources or documents has (the nearest are
                listed), or its times end before they begin.
        """
        filters = filters or Filters()
        _check_times(filters)
        applied = self._defaults.apply(scope)
        limits = list(dict.fromkeys(limits_of(scope, filters)))
        if not limits:
            return applied, filters
        known = await self._store.known(principal, applied, filters.doc_types, limits)
        unknown = [limit for limit in limits if not known.get(limit)]
        if unknown:
            kinds: set[LimitKind] = {limit.kind for limit in unknown}
            there = await self._store.there(principal, applied, filters.doc_types, kinds)
            raise await asyncio.to_thread(refusal, unknown, there)
        return applied, replace(filters, metadata=_spelled(filters.metadata, known))

    @property
    def project(self) -> RequestScope:
        """All sources of this server's project."""
        return RequestScope(project_id=self._defaults.project_id)

    async def states(self, allowed: AllowedSources) -> list[AskedSource]:
        """How far each source of the allowed sources has come."""
        states = await self._store.states(allowed)
        return [
            AskedSource(source, states[source.source_id]) for source in allowed.sources if source.source_id in states
        ]

    async def explain_empty(
        self,
        allowed: AllowedSources,
        query: str,
        *,
        scope: RequestScope,
        withheld: int = 0,
        filters: Filters | None = None,
    ) -> EmptyResult:
        """Why a question to the sources of the allowed sources shows nothing.

        Args:
            allowed: the sources that were asked.
            query: the question.
            scope: what the question was limited to, defaults included.
            withheld: hits that were found and not vouched for by their source.
            filters: what the caller asked of documents.
        """
        apps = tuple({app for each in (filters or Filters()).doc_types if (app := app_of(each)) is not None})
        asked = [
            replace(each, apps=apps) for each in await self.states(allowed) if not apps or each.source.kind == NEXTCLOUD
        ]
        languages = await self._other_languages(query, asked)
        scoped, filtered = scope.narrow, bool(filters and _narrow(filters))
        return explain(EmptySearch(asked, withheld, scoped=scoped, filtered=filtered, other_languages=languages))

    async def _other_languages(self, query: str, asked: Sequence[AskedSource]) -> tuple[str, ...]:
        documents: Counter[str] = Counter()
        for each in asked:
            documents.update(each.state.languages)
        if not documents or not await self._model_languages():
            return ()
        if DENSE.search(query):
            return other_languages(dict.fromkeys(DENSE_LANGUAGES, len(query)), documents)
        return other_languages(await self._store.stop_words(query), documents)


def _narrow(filters: Filters) -> bool:
    """Whether the caller set more than the types of documents, which tools set by themselves."""
    return filters != Filters(doc_types=filters.doc_types)


def _check_times(filters: Filters) -> None:
    if filters.dated_from and filters.dated_to and filters.dated_from > filters.dated_to:
        raise InvalidArgument(
            f"date_from ({filters.dated_from}) is after date_to ({filters.dated_to}): no day lies between them.",
            date_from=str(filters.dated_from),
            date_to=str(filters.dated_to),
        )
    if filters.updated_after and filters.updated_before and filters.updated_after > filters.updated_before:
        after, before = iso(filters.updated_after), iso(filters.updated_before)
        raise InvalidArgument(
            f"modified_after ({after}) is later than modified_before ({before}): nothing lies between them.",
            modified_after=after,
            modified_before=before,
        )


def _spelled(
    metadata: Sequence[tuple[str, tuple[str, ...]]], known: Mapping[Limit, tuple[str, ...]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Conditions on metadata with each capability in every way that it is spelled."""
    return tuple(
        (
            key,
            tuple(name for value in values for name in known[Limit("capability", value)])
            if key == CAPABILITY
            else values,
        )
        for key, values in metadata
    )
