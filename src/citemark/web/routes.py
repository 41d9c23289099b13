"""The routes of the pages: who may see them, in which form they are shown, and what an error looks like."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from citemark.model.errors import BackendUnavailable, CitemarkError, TimedOut
from citemark.services.people.call_limits import CallLimits
from citemark.services.requests import Caller
from citemark.web.added_page import AddedPage, Change, View
from citemark.web.asked import Asked, PageIndex
from citemark.web.begun_work import Work
from citemark.web.document_page import changes, document, verify
from citemark.web.evaluate_page import evaluate, keep_question, report, run_questions
from citemark.web.event_stream import Streams, Words
from citemark.web.folders_page import folders
from citemark.web.forms import form_of, is_own
from citemark.web.hosts_page import hosts, install_host
from citemark.web.refusals import Refusals
from citemark.web.rendering import HEADERS, Page, Renderer, asset, redirected, twin
from citemark.web.search_page import search
from citemark.web.sign_in import Session, SignIns
from citemark.web.sign_in_routes import SignInRoutes
from citemark.web.sources_page import (
    add_folder,
    add_model,
    describe_source,
    pause_source,
    remove_source,
    resume_source,
    scan_source,
    source,
    sources,
    tag_source,
)

if TYPE_CHECKING:
    from citemark.web.sign_in_elsewhere import SignInElsewhere

_Result = TypeVar("_Result")


VIEWS: Sequence[View] = (search, document, changes, verify, evaluate, report, sources, source, folders, hosts)
"""Each is shown at its name, and as JSON at its name with `.json`."""

CHANGES: Sequence[Change] = (
    add_folder,
    add_model,
    scan_source,
    pause_source,
    resume_source,
    tag_source,
    describe_source,
    remove_source,
    install_host,
    keep_question,
    run_questions,
)
"""What only the owner may do, each at its name."""

_THIS_MACHINE = frozenset({"127.0.0.1", "localhost", "::1"})
_SECONDS = 120.0
"""The longest that a page may take: a model may write an answer for so long."""

_MOST_FORM_BYTES = 256 * 1024
_ASSETS = {
    "icon.svg": "image/svg+xml",
    "page.css": "text/css",
    "page.js": "text/javascript",
    "ask.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "cytoscape.min.js": "text/javascript",
    "graph.js": "text/javascript",
    "graph.css": "text/css",
}


@dataclass(slots=True)
class Pages:
    """The pages of one server.

    Attributes:
        index: opens while the server already runs.
        sign_ins: who is signed in.
        welcome: what a program sees at `/`, which has no browser.
        base: the address of the server as its owner opens it.
        limits: how much of the server each person gets.
        added: the pages of features.
        work: what was begun and still runs.
        streams: what tells browsers of changes.
        elsewhere: the authorization server at which people may sign in.
    """

    index: PageIndex
    sign_ins: SignIns
    welcome: str
    base: str
    limits: CallLimits
    added: Sequence[AddedPage] = ()
    work: Work = field(default_factory=Work)
    streams: Streams = field(default_factory=Streams)
    elsewhere: "SignInElsewhere | None" = None
    _renderer: Renderer = field(init=False)
    _refusals: Refusals = field(init=False)
    _sign_in_routes: SignInRoutes = field(init=False)

    def __post_init__(self) -> None:
        listed = [(page.name, page.heading, page.for_owner) for page in self.added if page.heading]
        adding = [(page.name, page.adds) for page in self.added if page.adds]
        self._renderer = Renderer(listed, adding, self._beside)
        names = frozenset(view.__name__ for view in self.views)
        self._refusals = Refusals(self._renderer, names, None if self.elsewhere is None else self.elsewhere.host)
        self._sign_in_routes = SignInRoutes(self.sign_ins, self._refusals, self.base, self.welcome)

    @property
    def views(self) -> Sequence[View]:
        """All views, those of features included."""
        return (*VIEWS, *(each.view for each in self.added))

    @property
    def changes(self) -> Sequence[Change]:
        """All changes, those of features included."""
        return (*CHANGES, *(change for each in self.added for change in each.changes))

    def _beside(self, citation: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The links from a cited document to pages of features: their words and addresses."""
        place = str(citation["source"]), str(citation["doc_type"]), str(citation["document_id"])
        links = [(each.link, each.of_document(*place)) for each in self.added if each.link]
        return [(words, address) for words, address in links if address]

    def routes(self) -> list[Route]:
        """All routes, `/` included."""
        views = [
            route
            for view in self.views
            for route in (
                Route(f"/{view.__name__}", self._shown(view), methods=["GET"], name=view.__name__),
                Route(f"/{view.__name__}.json", self._shown(view, as_json=True), methods=["GET"]),
            )
        ]
        changes = [Route(f"/{each.__name__}", self._changed(each), methods=["POST"]) for each in self.changes]
        return [
            *self._sign_in_routes.routes(),
            *self._elsewhere_routes(),
            Route("/assets/{name}", self._asset, methods=["GET"]),
            Route("/stream", self._stream, methods=["GET"]),
            *(Route(f"/{page.name}.events", self._read_along(page.view)) for page in self.added if page.asks_model),
            *views,
            *changes,
        ]

    async def close(self) -> None:
        """End what was begun and still runs, and close the connections to the authorization server."""
        await self.work.close()
        if self.elsewhere is not None:
            await self.elsewhere.close()

    def _elsewhere_routes(self) -> list[Route]:
        if self.elsewhere is None:
            return []
        from citemark.web.elsewhere_routes import ElsewhereRoutes  # noqa: PLC0415 - only servers with an issuer

        return ElsewhereRoutes(self.elsewhere, self.sign_ins, self._refusals).routes()

    def link(self) -> str:
        """An address that signs one browser in as the owner, once, within a minute."""
        return self._sign_in_routes.link()

    async def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        content = asset(name) if name in _ASSETS else None
        if content is None:
            return PlainTextResponse("Not found", 404, HEADERS)
        return Response(content, headers={**HEADERS, "cache-control": "max-age=300"}, media_type=_ASSETS[name])

    async def _stream(self, request: Request) -> Response:
        """Events that say when the list of sources has changed."""
        try:
            session = await self.sign_ins.session_of(request)
        except BackendUnavailable as error:
            return self._refusals.failed(error, None, as_json=True)
        if session is None:
            return self._refusals.stranger(as_json=True, status=401)
        if self.streams.full:
            return self._refusals.failed(
                BackendUnavailable("There are too many streams; ask again later."), session, as_json=True
            )
        asked = self._asked(request, session, ImmutableMultiDict([]))

        async def look() -> Mapping[str, Any]:
            return (await self._within(session, lambda: sources(asked))).data

        return StreamingResponse(self.streams.changes(look), headers=HEADERS, media_type="text/event-stream")

    def _shown(self, view: View, *, as_json: bool = False) -> Callable[[Request], Awaitable[Response]]:
        asks_model = any(page.asks_model for page in self.added if page.view is view)

        async def show(request: Request) -> Response:
            session: Session | None = None
            try:
                session = await self.sign_ins.session_of(request)
                if session is None:
                    back = f"{request.url.path}?{request.url.query}"
                    return self._refusals.stranger(back, as_json=as_json, status=401)
                if seconds := self.limits.wait_for_turn(session.principal):
                    return self._refusals.too_many(session, seconds)
                fragment = request.headers.get("hx-target") if "hx-request" in request.headers else None
                asked = self._asked(request, session, request.query_params, None if as_json else fragment)
                page = await self._within(session, lambda: view(asked), with_model=asks_model)
            except CitemarkError as error:
                return self._refusals.failed(error, session, as_json=as_json)
            if as_json:
                return twin(page)
            return self._renderer.html(page, session, fragment)

        return show

    def _read_along(self, view: View) -> Callable[[Request], Awaitable[Response]]:
        """A view in events: what a model writes as it comes, and then the block of the page that holds the answer."""

        async def read(request: Request) -> Response:
            session: Session | None = None
            try:
                session = await self.sign_ins.session_of(request)
                if session is None:
                    return self._refusals.stranger(as_json=True, status=401)
                if seconds := self.limits.wait_for_turn(session.principal):
                    return self._refusals.too_many(session, seconds)
            except CitemarkError as error:
                return self._refusals.failed(error, session, as_json=True)
            words = Words()
            asked = replace(self._asked(request, session, request.query_params), wrote=words.put)
            made = self._answer_block(session, lambda: view(asked))
            return StreamingResponse(words.events(made), headers=HEADERS, media_type="text/event-stream")

        return read

    async def _answer_block(self, session: Session, work: Callable[[], Awaitable[Page]]) -> str | None:
        """The block of a page that holds the answer; None if it failed: the page itself says why."""
        try:
            page = await self._within(session, work, with_model=True)
        except CitemarkError:
            return None
        return self._renderer.body(page, session, "answer")

    def _changed(self, change: Change) -> Callable[[Request], Awaitable[Response]]:
        async def do(request: Request) -> Response:
            session: Session | None = None
            try:
                session, values = await self.sign_ins.session_of(request), await form_of(request)
                if session is None:
                    return self._refusals.stranger(as_json=False, status=401)
                if values is None or not is_own(request, session, values):
                    return self._refusals.refused(
                        "This form did not come from this page; reload it and try again.", session
                    )
                if not session.is_owner:
                    return self._refusals.refused("Only the owner of this index may do that.", session)
                asked = self._asked(request, session, values)
                return redirected(await self._within(session, lambda: change(asked, self.work)))
            except CitemarkError as error:
                return self._refusals.failed(error, session, as_json=False)

        return do

    async def _within(
        self, session: Session, work: Callable[[], Awaitable[_Result]], *, with_model: bool = False
    ) -> _Result:
        """The result of a view or a change that is made in time, in the share of the server that its person has.

        Raises:
            TimedOut: it is not.
            BackendUnavailable: too many others wait already.
        """
        try:
            async with asyncio.timeout(_SECONDS), self.limits.place(session.principal, with_model=with_model):
                services = await self.index.services()
                with services.statements_within(_SECONDS):
                    return await work()
        except TimeoutError:
            raise TimedOut("This took too long; try again in a moment.") from None

    def _asked(
        self, request: Request, session: Session, values: "ImmutableMultiDict[str, str]", part: str | None = None
    ) -> Asked:
        caller, is_here = Caller.of(session.principal), request.url.hostname in _THIS_MACHINE
        return Asked(values, caller, session.is_owner, self.index, part, self.work, is_here)
