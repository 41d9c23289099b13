"""Who may see the pages: links work once and soon, sessions end, and cookies are those of one port."""

import pytest
from starlette.datastructures import URL
from starlette.requests import Request

from citemark.identity.token_claims import TokenRefused
from citemark.model.scope import READ, Principal
from citemark.web.sign_in import LINK_SECONDS, SESSION_SECONDS, Session, SignIns, cookie_name


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Tokens:
    """Reads the tokens that are valid now."""

    def __init__(self) -> None:
        self.valid = {"alice": frozenset({READ}), "writer": frozenset[str]()}

    async def principal_of(self, token: str) -> Principal:
        if token not in self.valid:
            raise TokenRefused("unknown")
        return Principal.issued("token", token, self.valid[token])


def request(cookie: str, port: int = 8765) -> Request:
    headers = [(b"host", f"127.0.0.1:{port}".encode()), (b"cookie", cookie.encode())]
    return Request({"type": "http", "scheme": "http", "path": "/", "query_string": b"", "headers": headers})


async def session_of(sign_ins: SignIns, key: str, port: int = 8765) -> Session | None:
    return await sign_ins.session_of(request(f"citemark_8765={key}", port))


def sign_ins(clock: Clock, reader: Tokens | None = None) -> SignIns:
    return SignIns("owner".__eq__, reader, seconds=clock)


@pytest.mark.requirement("link-works-once")
async def test_a_link_signs_one_browser_in_once_and_for_a_minute() -> None:
    clock = Clock()
    made = sign_ins(clock)
    code = made.new_link()
    key = made.opened(code)
    assert key is not None
    session = await session_of(made, key)
    assert session is not None
    assert session.is_owner
    assert made.opened(code) is None
    late = made.new_link()
    clock.now += LINK_SECONDS + 1
    assert made.opened(late) is None
    assert made.opened("unknown") is None


async def test_a_session_ends_when_nothing_is_asked_for_a_day_of_work() -> None:
    clock = Clock()
    made = sign_ins(clock)
    key = made.opened(made.new_link()) or ""
    clock.now += SESSION_SECONDS - 1
    assert await session_of(made, key) is not None
    clock.now += SESSION_SECONDS - 1
    assert await session_of(made, key) is not None
    assert made.knows(request(f"citemark_8765={key}"))
    clock.now += SESSION_SECONDS + 1
    assert await session_of(made, key) is None
    assert not made.knows(request(f"citemark_8765={key}"))


async def test_a_cookie_belongs_to_one_port() -> None:
    made = sign_ins(Clock())
    key = made.opened(made.new_link()) or ""
    assert await session_of(made, key, port=9000) is None
    assert cookie_name(URL("https://a.example/")) == "citemark_443"
    assert cookie_name(URL("http://a.example/")) == "citemark_80"


async def test_a_token_signs_its_person_in_until_it_ends() -> None:
    tokens = Tokens()
    made = sign_ins(Clock(), tokens)
    key = await made.with_token("alice") or ""
    session = await session_of(made, key)
    assert session is not None
    assert not session.is_owner
    assert await made.with_token("writer") is None
    assert await made.with_token("nobody") is None
    assert await sign_ins(Clock()).with_token("alice") is None
    del tokens.valid["alice"]
    assert await session_of(made, key) is None


async def test_the_owner_may_sign_in_with_the_owners_token_and_out_again() -> None:
    made = sign_ins(Clock(), Tokens())
    key = await made.with_token("owner") or ""
    session = await session_of(made, key)
    assert session is not None
    assert session.is_owner
    assert session.allows(session.csrf)
    assert not session.allows("")
    made.end(request(f"citemark_8765={key}"))
    assert await session_of(made, key) is None


async def test_links_and_sessions_do_not_fill_the_memory() -> None:
    clock = Clock()
    made = sign_ins(clock)
    first = made.new_link()
    for _ in range(20):
        made.new_link()
    assert made.opened(first) is None
    keys: list[str] = []
    for _ in range(1001):
        clock.now += 1
        keys.append(await made.with_token("owner") or "")
    assert await session_of(made, keys[0]) is None
    assert await session_of(made, keys[1]) is not None
