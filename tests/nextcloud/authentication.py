"""Authenticates requests: Basic, Bearer or a session cookie, behind the brute-force protection."""

import base64
import binascii
from http.cookies import SimpleCookie

from tests.nextcloud.accounts import Login
from tests.nextcloud.areas import Area
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.world import World

COOKIE = "ocdouble0001"


def admit(world: World, area: Area, ask: ServerRequest) -> ServerRequest | ServerResponse:
    """The request with its account, or the area's refusal."""
    by_cookie = _session(world, ask)
    sent = ask.header("authorization")
    if sent is None:
        if by_cookie is not None:
            return ask.of(by_cookie, None)
        return ask if area.anonymous(ask) else area.unauthorised(ask)
    if world.throttle.blocked(ask.client):
        return area.throttled(ask)
    login = _login(world, area, sent)
    if login is None:
        if not (sent.startswith("Bearer") and not area.bearer):
            world.throttle.fail(ask.client)
        return area.unauthorised(ask)
    if area.cookie_first and by_cookie is not None:
        return ask.of(by_cookie, login.app_password)
    return ask.of(login.user, login.app_password)


def _login(world: World, area: Area, sent: str) -> Login | None:
    scheme, _, value = sent.partition(" ")
    if scheme.lower() == "bearer":
        return world.accounts.bearer(value) if area.bearer else None
    try:
        name, _, secret = base64.b64decode(value).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return world.accounts.basic(name, secret)


def _session(world: World, ask: ServerRequest) -> str | None:
    jar = SimpleCookie(ask.header("cookie") or "")
    return world.sessions.get(jar[COOKIE].value) if COOKIE in jar else None
