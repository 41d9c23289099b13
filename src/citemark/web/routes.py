"""The routes of the pages: who may see them, in which form they are shown, and what an error looks like."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit

from starlette.datastructures import ImmutableMultiDict
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from citemark.model.errors import BackendUnavailable, CitemarkError, InvalidArgument, TimedOut, UnknownCursor
from citemark.services.advice import for_reader
from citemark.services.people.call_limits import CallLimits
from citemark.services.requests import Caller
from citemark.web.added_page import AddedPage, Change, View
from citemark.web.asked import Asked, PageIndex
from citemark.web.begun_work import Work
from citemark.web.document_page import changes, document, verify
from citemark.web.evaluate_page import evaluate, keep_question, report, run_questions
from citemark.web.event_stream import Streams, Words
from citemark.web.folders_page import folders
from citemark.web.hosts_page import hosts, install_host
from citemark.web.rendering import HEADERS, Page, Renderer, asset, twin
from citemark.web.search_page import search
from citemark.web.sign_in import CSRF_FIELD, CSRF_HEADER, Session, SignIns, cookie_name
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

LINK_PATH = "/link"
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
    """

    index: PageIndex
    sign_ins: SignIns
    welcome: str
    base: str
    limits: CallLimits
    added: Sequence[AddedPage] = ()
    work: Work = field(default_factory=Work)
    streams: Streams = field(default_factory=Streams)
    _renderer: Renderer = field(init=False)

    def __post_init__(self) -> None:
        listed = [(page.name, page.heading, page.for_owner) for page in self.added if page.heading]
        adding = [(page.name, page.adds) for page in self.added if page.adds]
        self._renderer = Renderer(listed, adding, self._beside)

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
            Route("/", self._home, methods=["GET"]),
            Route("/enter/{code}", self._enter, methods=["GET"]),
            Route(LINK_PATH, self._link, methods=["POST"]),
            Route("/sign_in", self._sign_in, methods=["POST"]),
            Route("/sign_out", self._sign_out, methods=["POST"]),
            Route("/assets/{name}", self._asset, methods=["GET"]),
            Route("/stream", self._stream, methods=["GET"]),
            *(Route(f"/{page.name}.events", self._read_along(page.view)) for page in self.added if page.asks_model),
            *views,
            *changes,
        ]

    def link(self) -> str:
        """An address that signs one browser in as the owner, once, within a minute."""
        return f"{self.base}/enter/{self.sign_ins.new_link()}"

    async def _home(self, request: Request) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return PlainTextResponse(self.welcome)
        try:
            session = await self.sign_ins.session_of(request)
        except BackendUnavailable as error:
            return self._failed(error, None, as_json=False)
        return _redirected("/search") if session else self._stranger(as_json=False, status=200)

    async def _enter(self, request: Request) -> Response:
        # Programs that look at links before people open them must not use this one up.
        if request.method != "GET":
            return Response(status_code=405, headers={"allow": "GET", **HEADERS})
        key = self.sign_ins.opened(request.path_params["code"])
        if key is None:
            message = "This link was opened before, or is older than a minute. `citemark web` makes a new one."
            return self._told(Page("message", {"heading": "The link has ended", "message": message}, 403), None)
        return self._begun(request, key)

    async def _link(self, request: Request) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not self.sign_ins.holds_owner_token(token.strip()):
            return PlainTextResponse("Only the owner of the index gets a link", 401, HEADERS)
        return PlainTextResponse(self.link(), headers=HEADERS)

    async def _sign_in(self, request: Request) -> Response:
        values = await _form(request)
        if values is None or _is_foreign(request):
            return self._refused("This form did not come from this page.", None)
        try:
            key = await self.sign_ins.with_token(values.get("token", "").strip())
        except BackendUnavailable as error:
            return self._failed(error, None, as_json=False)
        if key is None:
            return self._stranger(as_json=False, status=401, message="This token is not valid here.")
        return self._begun(request, key)

    async def _sign_out(self, request: Request) -> Response:
        session, values = await self.sign_ins.session_of(request), await _form(request)
        if session is None or values is None or not _is_own(request, session, values):
            return self._refused("This form did not come from this page.", None)
        self.sign_ins.end(request)
        answer = _redirected("/")
        answer.delete_cookie(cookie_name(request.url))
        return answer

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
            return self._failed(error, None, as_json=True)
        if session is None:
            return self._stranger(as_json=True, status=401)
        if self.streams.full:
            return self._failed(
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
                    return self._stranger(as_json=as_json, status=401)
                if seconds := self.limits.wait_for_turn(session.principal):
                    return self._too_many(session, seconds)
                fragment = request.headers.get("hx-target") if "hx-request" in request.headers else None
                asked = self._asked(request, session, request.query_params, None if as_json else fragment)
                page = await self._within(session, lambda: view(asked), with_model=asks_model)
            except CitemarkError as error:
                return self._failed(error, session, as_json=as_json)
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
                    return self._stranger(as_json=True, status=401)
                if seconds := self.limits.wait_for_turn(session.principal):
                    return self._too_many(session, seconds)
            except CitemarkError as error:
                return self._failed(error, session, as_json=True)
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
                session, values = await self.sign_ins.session_of(request), await _form(request)
                if session is None:
                    return self._stranger(as_json=False, status=401)
                if values is None or not _is_own(request, session, values):
                    return self._refused("This form did not come from this page; reload it and try again.", session)
                if not session.is_owner:
                    return self._refused("Only the owner of this index may do that.", session)
                asked = self._asked(request, session, values)
                return _redirected(await self._within(session, lambda: change(asked, self.work)))
            except CitemarkError as error:
                return self._failed(error, session, as_json=False)

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

    def _begun(self, request: Request, key: str) -> Response:
        answer = _redirected("/search")
        answer.set_cookie(
            cookie_name(request.url), key, path="/", httponly=True, samesite="strict", secure=self.sign_ins.encrypted
        )
        return answer

    def _stranger(self, *, as_json: bool, status: int, message: str = "") -> Response:
        page = Page("stranger", {"message": message, "error": "Sign in first."}, status)
        return twin(page) if as_json else self._told(page, None)

    def _refused(self, message: str, session: Session | None) -> Response:
        return self._told(Page("message", {"heading": "Refused", "message": message}, 403), session)

    def _too_many(self, session: Session, seconds: float) -> Response:
        message = "You asked for too many pages in a minute; wait a little."
        answer = self._told(Page("message", {"heading": "Too many requests", "message": message}, 429), session)
        answer.headers["retry-after"] = str(math.ceil(seconds))
        return answer

    def _failed(self, error: CitemarkError, session: Session | None, *, as_json: bool) -> Response:
        status = _status(error)
        message = for_reader(error.message, session.principal if session else None)
        data = {"heading": HTTPStatus(status).phrase, "message": message}
        page = Page("message", {**data, "code": error.code}, status)
        return twin(page) if as_json else self._told(page, session)

    def _told(self, page: Page, session: Session | None) -> Response:
        return self._renderer.html(page, session)


def _status(error: CitemarkError) -> int:
    if isinstance(error, UnknownCursor):
        return 410
    if isinstance(error, InvalidArgument):
        return 404 if error.details.keys() & {"source", "document_id"} else 400
    if isinstance(error, TimedOut):
        return 504
    return 503 if isinstance(error, BackendUnavailable) else 500


async def _form(request: Request) -> "ImmutableMultiDict[str, str] | None":
    """The fields of a form; None if it is too long, or did not arrive."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > _MOST_FORM_BYTES:
        return None
    try:
        form = await request.form(max_files=0)
    except (ClientDisconnect, HTTPException):
        return None
    return ImmutableMultiDict([(name, value) for name, value in form.multi_items() if isinstance(value, str)])


def _is_own(request: Request, session: Session, values: "ImmutableMultiDict[str, str]") -> bool:
    """Whether a change was asked for by a page of this session."""
    given = request.headers.get(CSRF_HEADER) or values.get(CSRF_FIELD, "")
    return session.allows(given) and not _is_foreign(request)


def _is_foreign(request: Request) -> bool:
    """Whether a browser says that another site, or another port of this machine, sent a request."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if origin == "null":  # browsers say no more of a form on a page without a referrer
        return site != "same-origin"
    other = origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower()
    return other or site not in {None, "same-origin", "none"}


def _redirected(path: str) -> Response:
    return RedirectResponse(path, 303, HEADERS)
