"""The scope of a call: the sources and documents that it is limited to, and why they hold nothing for it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from heapq import nlargest
from types import MappingProxyType
from typing import Any

from citemark.model.accounts import Renewal, app_of
from citemark.model.citation import iso
from citemark.model.completeness import ALL_READ, Reading
from citemark.model.document_counts import DocumentCounts
from citemark.model.errors import InvalidArgument, ScopeViolation
from citemark.model.scope import (
    CAPABILITY,
    Filters,
    LimitKind,
    Principal,
    ReadContext,
    RequestScope,
    ScopeLimit,
    limits_of,
)
from citemark.model.sources import AllowedSources, Source
from citemark.model.status import NOTHING_INDEXED
from citemark.retrieval.absence import NOTHING_ABSENT, Absence
from citemark.services.empty import (
    TOOL_ARGUMENTS,
    Arguments,
    AskedSource,
    EmptyResult,
    EmptySearch,
    explain,
    other_languages,
)
from citemark.settings import Settings
from citemark.sources.kinds import SourceKinds
from citemark.store.scope import ScopeStore
from citemark.text.languages import DENSE, DENSE_LANGUAGES
from citemark.text.spelling import one_spelling

MOST_SHOWN = 20
"""The most values that a refusal lists."""

_LONGEST = 80
"""The most characters of a value that are compared and shown."""


_NOBODY_HAS: Mapping[LimitKind, str] = MappingProxyType(
    {
        "environment": "None of your sources has the environment",
        "repository": "None of your sources has the repository",
        "source_tag": "None of your sources has the tag",
        "document_tag": "None of your documents has the tag",
        "property": "None of your documents has the property",
        "label": "None of your documents has the label",
        "path_prefix": "None of your documents has a path that begins with",
        "capability": "No element of these models has the capability",
    }
)


_OF_SOURCES: frozenset[LimitKind] = frozenset({"environment", "repository", "source_tag"})
"""Limits that apply to sources and not to documents; sources are always the present ones."""

_HEAD = ReadContext()

_HOW_PATHS_BEGIN = " Paths begin in the folder of their source, as a document_id does; an account's among its files."


def refusal(
    unknown: Sequence[ScopeLimit], there: Mapping[LimitKind, Sequence[str]], reading: Reading = ALL_READ
) -> InvalidArgument:
    """The error for values that nothing of the caller's has; `there` holds the existing values, by kind."""
    sentences: list[str] = []
    details: list[dict[str, Any]] = []
    for limit in unknown:
        values = there[limit.kind]
        near = nearest(limit.value, _folders_of(values) if limit.kind == "path_prefix" else values)
        known = f"Known, nearest first: {', '.join(map(repr, near))}." if near else "There are none."
        if limit.kind == "path_prefix":
            known += _HOW_PATHS_BEGIN
        so_far = "" if limit.kind in _OF_SOURCES else reading.so_far
        sentences.append(f"{_NOBODY_HAS[limit.kind]} {_shown(limit.value)!r}{so_far}. {known}")
        details.append({"kind": limit.kind, "value": _shown(limit.value), "nearest": near})
    return InvalidArgument(" ".join(sentences), unknown=details)


def nearest(wanted: str, known: Iterable[str], most: int = MOST_SHOWN) -> list[str]:
    """Up to `most` of the known values, nearest first, ignoring letter case; equally near ones in order of name."""
    matcher = SequenceMatcher(autojunk=False, b=one_spelling(wanted).casefold()[:_LONGEST])

    def nearness(value: str) -> float:
        matcher.set_seq1(one_spelling(value).casefold()[:_LONGEST])
        return matcher.ratio()

    return [_shown(value) for value in nlargest(most, sorted(set(known)), key=nearness)]


def _folders_of(paths: Iterable[str]) -> set[str]:
    """The paths themselves and every folder above them, each with a slash at its end."""
    found: set[str] = set()
    for path in paths:
        found.add(path)
        parts = path.split("/")[:-1]
        found.update("/".join(parts[:depth]) + "/" for depth in range(1, len(parts) + 1))
    return found


def _shown(value: str) -> str:
    """A value as a message shows it, shortened if it is long."""
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"


def default_scope(settings: Settings) -> RequestScope:
    """The scope of calls that name none, in the server's own project."""
    return RequestScope(
        settings.project_id, settings.default_environment, settings.default_doc_tags, settings.default_repositories
    )


ModelLanguages = Callable[[], Awaitable[Sequence[str]]]
"""The languages that the embedding model was made for; empty if it reads all languages."""


class Scoping:
    """Settles the limits of calls, and examines what lies within them."""

    def __init__(
        self,
        defaults: RequestScope,
        store: ScopeStore,
        model_languages: ModelLanguages,
        kinds: SourceKinds,
        renews: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Take what a call runs under; `renews` tells of a Nextcloud whether people get links here to log in to it."""
        self._defaults = defaults
        self._store = store
        self._model_languages = model_languages
        self._kinds = kinds
        self._renews = renews

    def apply(self, scope: RequestScope) -> RequestScope:
        """The scope that a call runs under: its own, or the default one if it names no labels.

        Raises:
            ScopeViolation: the call names another project.
        """
        project = self._defaults.project_id
        if scope.project_id not in {None, project}:
            raise ScopeViolation(
                f"This server answers for project {project!r} only; leave scope.project_id out.",
                project_id=scope.project_id,
            )
        if scope.labelled:
            return replace(scope, project_id=project)
        return replace(self._defaults, kind=scope.kind, source=scope.source)

    async def settle(
        self,
        principal: Principal,
        scope: RequestScope,
        filters: Filters | None = None,
        read_context: ReadContext = _HEAD,
    ) -> tuple[RequestScope, Filters]:
        """The scope and filters that a call runs under: defaults filled in, capabilities spelled as in the models.

        Documents of a past state may have had values that no document has now, so for a past state the values of
        documents are not looked up.

        Raises:
            ScopeViolation: the call names another project.
            InvalidArgument: it names a value that none of the caller's sources or documents has (the nearest are
                listed), or one of its periods ends before it begins.
        """
        filters = filters or Filters()
        _check_times(filters)
        applied = self.apply(scope)
        limits = list(dict.fromkeys(limits_of(scope, filters)))
        if not limits:
            return applied, filters
        known = await self._store.known(principal, applied, filters.doc_types, limits)
        unknown = [limit for limit in limits if not known.get(limit)]
        if read_context != _HEAD:
            unknown = [limit for limit in unknown if limit.kind in _OF_SOURCES]
        if unknown:
            kinds: set[LimitKind] = {limit.kind for limit in unknown}
            there = await self._store.there(principal, applied, filters.doc_types, kinds)
            reading = await self._store.reading(principal, applied)
            raise await asyncio.to_thread(refusal, unknown, there, reading)
        return applied, replace(filters, metadata=_spelled(filters.metadata, known))

    @property
    def project(self) -> RequestScope:
        """All sources of this server's project."""
        return RequestScope(project_id=self._defaults.project_id)

    async def states(self, allowed: AllowedSources, *, contents: bool = True) -> list[AskedSource]:
        """How far the index of each allowed source has come; without `contents`, nothing that it holds is counted."""
        states = await self._store.states(allowed, contents=contents)
        if not allowed.by_owner:
            states = {key: state.for_others() for key, state in states.items()}
        return [
            AskedSource(source, states[source.source_id], renewal=self._renewal(allowed, source))
            for source in allowed.sources
            if source.source_id in states
        ] + [AskedSource(source, NOTHING_INDEXED) for source in allowed.switched_off]

    async def counts(self, allowed: AllowedSources, scope: RequestScope, filters: Filters) -> DocumentCounts:
        """How many documents of the allowed sources each further limit would leave; `scope` has its defaults."""
        return await self._store.counts(allowed, scope, filters)

    def _renewal(self, allowed: AllowedSources, source: Source) -> Renewal:
        by_link = self._kinds.of(source).password and self._renews(str(source.config.get("server", "")))
        return Renewal(commands=allowed.by_owner, by_link=by_link)

    async def explain_empty(
        self,
        allowed: AllowedSources,
        phrasings: Sequence[str],
        *,
        scope: RequestScope,
        withheld: int = 0,
        filters: Filters | None = None,
        absence: Absence = NOTHING_ABSENT,
        arguments: Arguments = TOOL_ARGUMENTS,
        denied: int = 0,
    ) -> EmptyResult:
        """Why a question to the allowed sources shows nothing.

        Args:
            allowed: the sources that were asked.
            phrasings: the question, and the further phrasings that were asked.
            scope: what the question was limited to, defaults included.
            withheld: the number of hits that were found but not vouched for by their source.
            filters: the caller's conditions on documents.
            absence: what the ranking found to be absent.
            arguments: those of the tool at hand, for its advice.
            denied: the number of hits that are gone, or denied by their source.
        """
        doc_types = (filters or Filters()).doc_types
        apps = tuple({app for each in doc_types if (app := app_of(each)) is not None})
        asked = [
            replace(each, apps=apps)
            for each in await self.states(allowed)
            if not apps or not self._kinds.of(each.source).doc_types.isdisjoint(doc_types)
        ]
        languages = await self._other_languages(phrasings, asked)
        scoped, filtered = scope.narrow, bool(filters and _narrow(filters))
        return explain(
            EmptySearch(
                asked,
                withheld,
                scoped=scoped,
                filtered=filtered,
                other_languages=languages,
                below_threshold=not absence.unsaid and not absence.by_words and absence is not NOTHING_ABSENT,
                arguments=arguments,
                denied=denied,
                reading=allowed.reading,
            )
        )

    async def explain_absence(
        self, allowed: AllowedSources, nothing: EmptyResult, *, scope: RequestScope, withheld: int = 0
    ) -> EmptyResult:
        """Why a list of what the allowed sources hold, which needs no vectors, shows nothing.

        Args:
            allowed: the sources that were read.
            nothing: what to say if they could be read completely.
            scope: what the call was limited to, defaults included.
            withheld: the number of rows that were found but not vouched for by their source.
        """
        asked = await self.states(allowed, contents=False)
        return explain(EmptySearch(asked, withheld, scoped=scope.narrow, reading=allowed.reading), nothing)

    async def _other_languages(self, phrasings: Sequence[str], asked: Sequence[AskedSource]) -> tuple[str, ...]:
        """The languages of the documents if most are in another one than every phrasing; else none."""
        documents: Counter[str] = Counter()
        for each in asked:
            documents.update(each.state.languages)
        if not documents or not await self._model_languages():
            return ()
        found: tuple[str, ...] = ()
        for phrasing in phrasings:
            dense = dict.fromkeys(DENSE_LANGUAGES, len(phrasing)) if DENSE.search(phrasing) else None
            found = other_languages(dense or await self._store.stop_words(phrasing), documents)
            if not found:
                break
        return found


def _narrow(filters: Filters) -> bool:
    """Whether the caller set more than the types of documents, which the tools set themselves."""
    return filters != Filters(doc_types=filters.doc_types)


def _check_times(filters: Filters) -> None:
    if filters.dated_from and filters.dated_to and filters.dated_from > filters.dated_to:
        raise InvalidArgument(
            f"date_from ({filters.dated_from}) is after date_to ({filters.dated_to}): there is no day between them.",
            date_from=str(filters.dated_from),
            date_to=str(filters.dated_to),
        )
    if filters.updated_after and filters.updated_before and filters.updated_after > filters.updated_before:
        after, before = iso(filters.updated_after), iso(filters.updated_before)
        raise InvalidArgument(
            f"modified_after ({after}) is later than modified_before ({before}): there is nothing between them.",
            modified_after=after,
            modified_before=before,
        )


def _spelled(
    metadata: Sequence[tuple[str, tuple[str, ...]]], known: Mapping[ScopeLimit, tuple[str, ...]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Conditions on metadata, with each capability in every spelling that models use."""
    return tuple(
        (
            key,
            tuple(name for value in values for name in known[ScopeLimit("capability", value)])
            if key == CAPABILITY
            else values,
        )
        for key, values in metadata
    )
