"""The two routes between which a person signs in at the authorization server."""

from dataclasses import dataclass

import structlog
from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from citemark.identity.begun_sign_in import SignInRefused
from citemark.model.errors import BackendUnavailable
from citemark.web.refusals import Refusals
from citemark.web.rendering import HEADERS, Page
from citemark.web.return_address import HOME, RETURN_PATH, return_address
from citemark.web.sign_in import SignIns
from citemark.web.sign_in_elsewhere import WAIT_SECONDS, SignInElsewhere
from citemark.web.sign_in_routes import signed_in

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ElsewhereRoutes:
    """Sends browsers to the authorization server, and begins the sessions of those that come back."""

    elsewhere: SignInElsewhere
    sign_ins: SignIns
    refusals: Refusals

    def routes(self) -> list[Route]:
        """Both of them."""
        return [
            Route("/sign_in_elsewhere", self._leave, methods=["GET"]),
            Route(RETURN_PATH, self._return, methods=["GET"]),
        ]

    async def _leave(self, request: Request) -> Response:
        back = return_address(request.query_params.get("back", ""), self.refusals.names)
        try:
            begun = await self.elsewhere.begin(back)
        except BackendUnavailable as error:
            return self.refusals.failed(error, None, as_json=False)
        answer = RedirectResponse(begun.address, 303, HEADERS)
        answer.set_cookie(
            self._cookie(request.url),
            begun.kept,
            max_age=WAIT_SECONDS,
            path="/",
            httponly=True,
            samesite="lax",  # the browser comes back from another site
            secure=self.sign_ins.encrypted,
        )
        return answer

    async def _return(self, request: Request) -> Response:
        name = self._cookie(request.url)
        try:
            issued, back = await self.elsewhere.end(request.cookies.get(name, ""), request.query_params)
            key = await self.sign_ins.with_issued_token(issued)
        except SignInRefused as refused:
            _log.info("sign_in_refused", reason=str(refused), action="sign in again")
            return self._refused("You were not signed in: this sign-in has ended, or was refused. Try it again.")
        except BackendUnavailable as error:
            return self.refusals.failed(error, None, as_json=False)
        if key is None:
            return self._refused(f"{self.elsewhere.host} knows you, but does not let you read here.")
        # No redirect: one that another site began would be sent without the cookie, which is for this site alone.
        answer = signed_in(self.refusals.told(Page("signed_in", {"back": back}), None), request, self.sign_ins, key)
        answer.delete_cookie(name, secure=self.sign_ins.encrypted)
        return answer

    def _refused(self, message: str) -> Response:
        return self.refusals.stranger(HOME, as_json=False, status=401, message=message)

    def _cookie(self, url: URL) -> str:
        return f"{self.sign_ins.cookie(url)}_elsewhere"
