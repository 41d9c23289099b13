"""Finding a server and logging in, before anything is stored."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncGenerator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.nextcloud.faults import Html, Status
from tests.nextcloud.server import Nextcloud
from tests.support.certificates import self_signed
from tests.support.patience import HANG_SECONDS

from citemark.features.nextcloud.source.http_transport import CertificateError, HttpTransport
from citemark.features.nextcloud.source.login import begin_login, check_account, find_server, poll_once, wait_for_grant
from citemark.model.errors import ConfigurationError, FatalSourceError, InvalidArgument, RetriableSourceError


@pytest.fixture
async def transport(nextcloud: Nextcloud) -> AsyncGenerator[HttpTransport, None]:
    made = HttpTransport(nextcloud.url, agent="Citemark 1 on desk")
    yield made
    await made.close()


async def test_a_server_is_found_from_any_of_its_pages(nextcloud: Nextcloud) -> None:
    assert await find_server(f"{nextcloud.url}/index.php/apps/files/?dir=/", HttpTransport) == nextcloud.url
    assert [seen.line for seen in nextcloud.log.seen] == ["GET /status.php"]
    assert "authorization" not in nextcloud.log.seen[0].headers


@pytest.mark.requirement("host-without-nextcloud-gets-error")
@pytest.mark.parametrize("typed", ["ftp://cloud.example.org", "https://", "https://host:port", "https://alice:pw@host"])
async def test_a_malformed_address_is_refused_without_a_request(typed: str) -> None:
    with pytest.raises(ConfigurationError):
        await find_server(typed, HttpTransport)


@pytest.mark.requirement("host-without-nextcloud-gets-error")
async def test_a_host_that_is_not_a_nextcloud_is_reported(nextcloud: Nextcloud) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        with pytest.raises(ConfigurationError, match=r"no Nextcloud.*404.*browser"):
            await find_server(f"http://127.0.0.1:{server.server_port}", HttpTransport)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    nextcloud.faults.add(Html())
    with pytest.raises(ConfigurationError, match="no Nextcloud"):
        await find_server(nextcloud.url, HttpTransport)


@pytest.mark.requirement("host-without-nextcloud-gets-error")
async def test_a_host_that_does_not_answer_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(RetriableSourceError, match="cannot be reached"):
            await find_server(f"http://127.0.0.1:{taken.getsockname()[1]}", HttpTransport)


@pytest.mark.requirement("connection-mistakes-say-what-to-do")
async def test_without_a_scheme_https_is_tried_and_http_only_on_this_machine(nextcloud: Nextcloud) -> None:
    tried: list[str] = []

    def transport_to(address: str) -> HttpTransport:
        tried.append(address)
        return HttpTransport(nextcloud.url if "example" not in address else "https://127.0.0.1:9")

    plain = nextcloud.url.removeprefix("http://")
    assert await find_server(plain, HttpTransport) == nextcloud.url
    with pytest.raises(RetriableSourceError, match=r"If the server has no https, give http://cloud\.example\.org:"):
        await find_server("cloud.example.org", transport_to)
    assert tried == ["https://cloud.example.org"]
    with pytest.raises(RetriableSourceError, match=f"give {nextcloud.url}:"):
        await find_server(f"https://{plain}", HttpTransport)


@pytest.mark.requirement("connection-mistakes-say-what-to-do")
async def test_a_network_that_asks_for_a_login_first_and_a_port_for_https_are_named(nextcloud: Nextcloud) -> None:
    nextcloud.faults.add(Html(), times=1)
    with pytest.raises(ConfigurationError, match=r"Perhaps your network asks for a login first: open http://127\.0"):
        await find_server(nextcloud.url, HttpTransport)
    said = b"<h1>400 Bad Request</h1>The plain HTTP request was sent to HTTPS port"
    nextcloud.faults.add(Status(400, said, {"content-type": "text/html"}))
    with pytest.raises(ConfigurationError, match=r"this port takes https only; give https://127\.0"):
        await find_server(nextcloud.url, HttpTransport)


@pytest.mark.requirement("credentials-never-follow-redirects")
async def test_a_redirect_to_another_host_is_reported_and_not_followed(nextcloud: Nextcloud) -> None:
    with Nextcloud() as other:
        nextcloud.faults.redirect(f"{other.url}/status.php")
        with pytest.raises(ConfigurationError, match=f"redirects to {other.url}"):
            await find_server(nextcloud.url, HttpTransport)
        assert len(other.log) == 0


async def test_a_server_in_maintenance_is_asked_again_later(nextcloud: Nextcloud) -> None:
    nextcloud.world.maintenance = True
    with pytest.raises(RetriableSourceError, match="later"):
        await find_server(nextcloud.url, HttpTransport)


@pytest.mark.requirement("self-signed-certificate-needs-setting")
async def test_a_self_signed_certificate_is_trusted_only_where_it_is_configured(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    with Nextcloud((certificate, key)) as server:
        with pytest.raises(CertificateError, match="--ca"):
            await find_server(server.url, HttpTransport)
        assert len(server.log) == 0
        assert await find_server(server.url, lambda address: HttpTransport(address, ca=str(certificate))) == server.url
        broken = tmp_path / "broken.pem"
        broken.write_text("no certificate")
        with pytest.raises(FatalSourceError, match=r"broken\.pem"):
            await find_server(server.url, lambda address: HttpTransport(address, ca=str(broken)))


@pytest.mark.requirement("three-account-names-kept-apart")
async def test_the_login_name_and_the_user_id_are_kept_apart(nextcloud: Nextcloud, transport: HttpTransport) -> None:
    secret = nextcloud.world.accounts.issue("alice", "device", login="alice@example.org")
    joined = await check_account(transport, "alice@example.org", secret)
    assert (joined.login, joined.user, joined.password) == ("alice@example.org", "alice", secret)
    assert secret not in repr(joined)


@pytest.mark.requirement("wrong-password-stops-at-once")
async def test_a_wrong_password_is_tried_once_and_reported(nextcloud: Nextcloud, transport: HttpTransport) -> None:
    with pytest.raises(InvalidArgument, match=r"tried once.*Devices & sessions"):
        await check_account(transport, "alice", "wrong")
    assert len(nextcloud.log) == 1


async def test_the_password_of_the_account_itself_is_exchanged_for_an_app_password(
    nextcloud: Nextcloud, transport: HttpTransport
) -> None:
    joined = await check_account(transport, "alice", "alice-real-password")
    made = nextcloud.world.accounts.people["alice"].app_passwords[joined.password]
    assert made.name == "Citemark 1 on desk"


@pytest.mark.requirement("app-passwords-encrypted-at-rest")
async def test_a_login_by_link_waits_for_the_person_and_gives_a_password_of_its_own(
    nextcloud: Nextcloud, transport: HttpTransport
) -> None:
    flow = await begin_login(transport)
    assert flow.link.startswith(f"{nextcloud.url}/login/v2/flow/")
    nextcloud.faults.add(Status(502), on="poll", times=2)
    waiting = asyncio.create_task(wait_for_grant(transport, flow, wait_seconds=90, every=0.01))
    await asyncio.to_thread(_polled, nextcloud, 3)
    secret = nextcloud.world.login.grant("bob", flow.link)
    given = await waiting
    assert (given.login, given.password) == ("bob", secret)
    assert nextcloud.world.accounts.people["bob"].app_passwords[secret].name == "Citemark 1 on desk"


def _polled(nextcloud: Nextcloud, times: int) -> None:
    """Wait until the login was asked after so many times."""
    until = time.monotonic() + HANG_SECONDS
    while len(nextcloud.log.matching("POST /login/v2/poll")) < times:
        assert time.monotonic() < until
        time.sleep(0.01)


async def test_a_login_that_is_never_confirmed_expires(transport: HttpTransport) -> None:
    with pytest.raises(FatalSourceError, match="in time"):
        await wait_for_grant(transport, await begin_login(transport), wait_seconds=0.05, every=0.01)


async def test_a_server_that_points_the_login_to_another_host_is_refused(
    nextcloud: Nextcloud, transport: HttpTransport
) -> None:
    body = b'{"poll": {"token": "t", "endpoint": "https://evil.example/poll"}, "login": "https://evil.example/"}'
    nextcloud.faults.add(Status(200, body, {"content-type": "application/json"}), on="login/v2")
    with pytest.raises(ConfigurationError, match="calls itself"):
        await begin_login(transport)


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
@pytest.mark.parametrize("link", ["https://[", "javascript:alert(1)", 7, None])
async def test_a_link_that_is_not_a_web_address_is_not_accepted_as_a_login(
    nextcloud: Nextcloud, transport: HttpTransport, link: object
) -> None:
    answer_json(nextcloud, "login/v2", {"poll": {"token": "t", "endpoint": f"{nextcloud.url}/poll"}, "login": link})
    with pytest.raises(RetriableSourceError, match="something else"):
        await begin_login(transport)


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_half_a_character_in_a_response_ends_no_login_with_an_unexpected_error(
    nextcloud: Nextcloud, transport: HttpTransport
) -> None:
    half = "\ud800"
    flow = {"poll": {"token": half, "endpoint": f"{nextcloud.url}/poll/{half}"}, "login": f"{nextcloud.url}/{half}"}
    answer_json(nextcloud, "login/v2", flow)
    answer_json(nextcloud, "/poll/", {"loginName": half, "appPassword": f"\0{half}"})
    grant = await poll_once(transport, await begin_login(transport))
    assert grant is not None
    assert (grant.login, grant.password) == ("?", "\ufffd?")
    answer_json(nextcloud, "getapppassword", {"ocs": {"data": {"apppassword": half}}})
    answer_json(nextcloud, "cloud/user", {"ocs": {"data": {"id": half}}})
    account = await check_account(transport, grant.login, grant.password)
    assert (account.user, account.password) == ("?", "?")


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
@pytest.mark.parametrize("given", [{"loginName": 123, "appPassword": "secret"}, {"loginName": "alice"}, {}, []])
async def test_a_confirmation_without_a_name_and_a_password_is_reported_and_not_waited_for(
    nextcloud: Nextcloud, transport: HttpTransport, given: object
) -> None:
    flow = await begin_login(transport)
    answer_json(nextcloud, "/poll", given)
    with pytest.raises(FatalSourceError, match="without a name and a password"):
        await wait_for_grant(transport, flow, wait_seconds=60, every=0.01)


def answer_json(nextcloud: Nextcloud, on: str, told: object) -> None:
    """Have a server answer this to a path."""
    body = json.dumps(told).encode()
    nextcloud.faults.add(Status(200, body, {"content-type": "application/json"}), on=on)
