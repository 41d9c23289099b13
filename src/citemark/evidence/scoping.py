"""What a call reads: the sources and documents that it is limited to, and why these held nothing for it."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from citemark.evidence.empty import AskedSource, EmptyResult, EmptySearch, explain, other_languages
from citemark.evidence.scopes import ScopeDefaults
from citemark.model.accounts import NEXTCLOUD, app_of
from citemark.model.languages import DENSE_LANGUAGES
from citemark.model.scope import Filters, RequestScope
from citemark.model.scripts import DENSE
from citemark.model.sources import Fence
from citemark.store.scoping import ScopingStore

ModelLanguages = Callable[[], Awaitable[Sequence[str]]]
"""The languages that the embedding model was made for; none when it reads all."""


class Scoping:
    """Settles the limits of calls, and looks at what lies within them."""

    def __init__(self, defaults: ScopeDefaults, store: ScopingStore, model_languages: ModelLanguages) -> None:
        self._defaults = defaults
        self._store = store
        self._model_languages = model_languages

    def apply(self, scope: RequestScope) -> RequestScope:
        """The scope that a call runs under.

        Raises:
            ScopeViolation: the call names another project.
        """
        return self._defaults.apply(scope)

    async def explain_empty(
        self,
        fence: Fence,
        query: str,
        *,
        scope: RequestScope,
        withheld: int = 0,
        filters: Filters | None = None,
    ) -> EmptyResult:
        """Why a question to the sources of a fence shows nothing.

        Args:
            fence: the sources that were asked.
            query: the question.
            scope: what the question was limited to, defaults included.
            withheld: hits that were found and not vouched for by their source.
            filters: what the caller asked of documents.
        """
        apps = tuple({app for each in (filters or Filters()).doc_types if (app := app_of(each)) is not None})
        states = await self._store.states(fence)
        asked = [
            AskedSource(source, states[source.source_id], apps)
            for source in fence.sources
            if source.source_id in states and (not apps or source.kind == NEXTCLOUD)
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
