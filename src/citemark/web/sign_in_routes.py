"""The routes by which people come in and go: links, tokens, and signing out."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from citemark.model.errors import BackendUnavailable
from citemark.web.forms import form_of, is_foreign, is_own
from citemark.web.refusals import Refusals
from citemark.web.rendering import HEADERS, Page, redirected
from citemark.web.return_address import HOME, return_address
from citemark.web.sign_in import SignIns

LINK_PATH = "/link"


@dataclass(frozen=True, slots=True)
class SignInRoutes:
    """Begins sessions and ends them.

    Attributes:
        sign_ins: who is signed in.
        refusals: what strangers are told.
        base: the address of the server as its owner opens it.
        welcome: what a program sees at `/`, which has no browser.
    """

    sign_ins: SignIns
    refusals: Refusals
    base: str
    welcome: str

    def routes(self) -> list[Route]:
        """All of them, `/` included."""
        return [
            Route("/", self._home, methods=["GET"]),
            Route("/enter/{code}", self._enter, methods=["GET"]),
            Route(LINK_PATH, self._link, methods=["POST"]),
            Route("/sign_in", self._sign_in, methods=["POST"]),
            Route("/sign_out", self._sign_out, methods=["POST"]),
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
            return self.refusals.failed(error, None, as_json=False)
        return redirected(HOME) if session else self.refusals.stranger(as_json=False, status=200)

    async def _enter(self, request: Request) -> Response:
        # Programs that look at links before people open them must not use this one up.
        if request.method != "GET":
            return Response(status_code=405, headers={"allow": "GET", **HEADERS})
        key = self.sign_ins.opened(request.path_params["code"])
        if key is None:
            message = "This link was opened before, or is older than a minute. `citemark web` makes a new one."
            return self.refusals.told(Page("message", {"heading": "The link has ended", "message": message}, 403), None)
        return signed_in(redirected(HOME), request, self.sign_ins, key)

    async def _link(self, request: Request) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not self.sign_ins.holds_owner_token(token.strip()):
            return PlainTextResponse("Only the owner of the index gets a link", 401, HEADERS)
        return PlainTextResponse(self.link(), headers=HEADERS)

    async def _sign_in(self, request: Request) -> Response:
        values = await form_of(request)
        if values is None or is_foreign(request):
            return self.refusals.refused("This form did not come from this page.", None)
        back = return_address(values.get("back", ""), self.refusals.names)
        try:
            key = await self.sign_ins.with_token(values.get("token", "").strip())
        except BackendUnavailable as error:
            return self.refusals.failed(error, None, as_json=False)
        if key is None:
            message = "This token is not valid here."
            return self.refusals.stranger(back, as_json=False, status=401, message=message)
        return signed_in(redirected(back), request, self.sign_ins, key)

    async def _sign_out(self, request: Request) -> Response:
        session, values = await self.sign_ins.session_of(request), await form_of(request)
        if session is None or values is None or not is_own(request, session, values):
            return self.refusals.refused("This form did not come from this page.", None)
        self.sign_ins.end(request)
        answer = redirected("/")
        answer.delete_cookie(self.sign_ins.cookie(request.url), secure=self.sign_ins.encrypted)
        return answer


def signed_in(answer: Response, request: Request, sign_ins: SignIns, key: str) -> Response:
    """An answer that gives a browser the cookie of its new session; the one that it had before ends."""
    sign_ins.end(request)
    name = sign_ins.cookie(request.url)
    answer.set_cookie(name, key, path="/", httponly=True, samesite="strict", secure=sign_ins.encrypted)
    return answer
