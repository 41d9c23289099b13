"""The parts of the server that respond by rules of their own: OCS, WebDAV, the REST apps, and pages without a login."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.nextcloud import refusals
from tests.nextcloud.messages import ServerRequest, ServerResponse, html_answer, json_answer
from tests.nextcloud.notes import routes as notes_routes
from tests.nextcloud.web_pages import serve_page
from tests.nextcloud.world import World

Shape = Callable[[ServerRequest], ServerResponse]


@dataclass(frozen=True, slots=True)
class Area:
    """How a part answers, and how it refuses: no login, throttled, in maintenance."""

    name: str
    serve: Callable[[World, ServerRequest], ServerResponse]
    unauthorised: Shape
    throttled: Shape
    maintained: Shape
    bearer: bool = True
    cookie_first: bool = False
    anonymous: Callable[[ServerRequest], bool] = lambda _: False


def area_of(ask: ServerRequest) -> Area:
    """The part of the server that a path belongs to."""
    return next((area for prefix, area in _AREAS.items() if ask.route.startswith(prefix)), _WEB)


def _status(world: World, _: ServerRequest) -> ServerResponse:
    about = {
        "installed": True,
        "maintenance": world.maintenance,
        "needsDbUpgrade": False,
        "version": world.version.number,
        "versionstring": world.version.string,
        "edition": "",
        "productname": "Nextcloud",
        "extendedSupport": False,
    }
    answer = json_answer(about)
    answer.headers = {"content-type": "application/json"}
    return answer


def _well_known(_: World, ask: ServerRequest) -> ServerResponse:
    name = ask.words[1] if len(ask.words) > 1 else ""
    if name in {"caldav", "carddav"}:
        return html_answer(301, "Moved", {"location": f"{ask.base}/remote.php/dav/"})
    return json_answer({"message": f"{name} not supported"}, 404)


def _csrf(_: World, ask: ServerRequest) -> ServerResponse:
    """Routes of a page's own script, which no client may use."""
    return json_answer({"message": "CSRF check failed"}, 412)


def _notes(world: World, ask: ServerRequest) -> ServerResponse:
    return notes_routes.serve(world.notes, ask, world.version)


def _anyone(_: ServerRequest) -> bool:
    return True


def _capabilities(ask: ServerRequest) -> bool:
    return ask.route.endswith("/cloud/capabilities")


_OCS = (refusals.ocs_unauthorised, refusals.ocs_throttled, refusals.ocs_maintained)
_REST = (refusals.rest_unauthorised, refusals.rest_throttled, refusals.rest_maintained)
_DAV = (refusals.dav_unauthorised, refusals.dav_throttled, refusals.dav_maintained)
_WEB = Area("web", serve_page, *_REST, anonymous=_anyone)
_AREAS = {
    "/status.php": Area("status", _status, *_OCS, anonymous=_anyone),
    "/.well-known/": Area("well-known", _well_known, *_REST, anonymous=_anyone),
    "/login/v2": Area("login", lambda world, ask: world.login.serve(ask), *_REST, anonymous=_anyone),
    "/ocs/": Area("ocs", lambda world, ask: world.ocs.serve(ask), *_OCS, cookie_first=True, anonymous=_capabilities),
    "/remote.php/dav": Area("dav", lambda world, ask: world.dav.serve(ask), *_DAV),
    "/apps/notes/api/": Area("notes", _notes, *_REST, bearer=False),
    "/apps/deck/boards": Area("deck pages", _csrf, *_REST, anonymous=_anyone),
    "/apps/deck/api/": Area("deck", lambda world, ask: world.deck_server.serve(ask), *_REST, bearer=False),
}
