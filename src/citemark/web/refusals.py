"""What is answered in place of a page: to whoever is not signed in, may not do something, or meets an error."""

import math
from collections.abc import Container
from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import Response

from citemark.model.errors import (
    BackendUnavailable,
    CitemarkError,
    InvalidArgument,
    SourceError,
    TimedOut,
    UnknownCursor,
)
from citemark.services.advice import for_reader
from citemark.web.rendering import Page, Renderer, twin
from citemark.web.return_address import HOME, return_address
from citemark.web.sign_in import Session


@dataclass(frozen=True, slots=True)
class Refusals:
    """What one server answers then.

    Attributes:
        renderer: makes HTML of them.
        names: of the pages, to which a browser may return once it is signed in.
        elsewhere: the name of the server where people sign in; None if they only do it here, by a token.
    """

    renderer: Renderer
    names: Container[str]
    elsewhere: str | None = None

    def stranger(self, back: str = HOME, *, as_json: bool, status: int, message: str = "") -> Response:
        """Whoever is not signed in learns how to sign in; their browser then goes on at the address `back`."""
        looks = {"back": return_address(back, self.names), "elsewhere": self.elsewhere}
        page = Page("stranger", {"message": message, "error": "Sign in first."}, status, looks)
        return twin(page) if as_json else self.told(page, None)

    def refused(self, message: str, session: Session | None) -> Response:
        """What was asked for is not done."""
        return self.told(Page("message", {"heading": "Refused", "message": message}, 403), session)

    def too_many(self, session: Session, seconds: float) -> Response:
        """Somebody asked too often, and may ask again in so many seconds."""
        message = "You asked for too many pages in a minute; wait a little."
        answer = self.told(Page("message", {"heading": "Too many requests", "message": message}, 429), session)
        answer.headers["retry-after"] = str(math.ceil(seconds))
        return answer

    def failed(self, error: CitemarkError, session: Session | None, *, as_json: bool) -> Response:
        """An error, in the words that are meant for whoever asked."""
        status = _status(error)
        message = for_reader(error.message, session.principal if session else None)
        data = {"heading": HTTPStatus(status).phrase, "message": message}
        page = Page("message", {**data, "code": error.code}, status)
        return twin(page) if as_json else self.told(page, session)

    def told(self, page: Page, session: Session | None) -> Response:
        """A page that says something."""
        return self.renderer.html(page, session)


def _status(error: CitemarkError) -> int:
    if isinstance(error, UnknownCursor):
        return 410
    if isinstance(error, InvalidArgument):
        return 404 if error.details.keys() & {"source", "document_id"} else 400
    if isinstance(error, TimedOut):
        return 504
    return 503 if isinstance(error, BackendUnavailable | SourceError) else 500
