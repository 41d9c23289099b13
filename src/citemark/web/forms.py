"""Forms that browsers send, and whether a page of ours sent them."""

from urllib.parse import urlsplit

from starlette.datastructures import ImmutableMultiDict
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from citemark.web.sign_in import CSRF_FIELD, CSRF_HEADER, Session

_MOST_FORM_BYTES = 256 * 1024


async def form_of(request: Request) -> "ImmutableMultiDict[str, str] | None":
    """The fields of a form; None if it is too long, or did not arrive."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > _MOST_FORM_BYTES:
        return None
    try:
        form = await request.form(max_files=0)
    except (ClientDisconnect, HTTPException):
        return None
    return ImmutableMultiDict([(name, value) for name, value in form.multi_items() if isinstance(value, str)])


def is_own(request: Request, session: Session, values: "ImmutableMultiDict[str, str]") -> bool:
    """Whether a change was asked for by a page of this session."""
    given = request.headers.get(CSRF_HEADER) or values.get(CSRF_FIELD, "")
    return session.allows(given) and not is_foreign(request)


def is_foreign(request: Request) -> bool:
    """Whether a browser says that another site, or another port of this machine, sent a request."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if origin == "null":  # browsers say no more of a form on a page without a referrer
        return site != "same-origin"
    other = origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower()
    return other or site not in {None, "same-origin", "none"}
