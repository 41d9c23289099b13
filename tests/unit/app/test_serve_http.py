"""Who can reach a socket."""

import socket
from pathlib import Path

import pytest

from citemark.app.serve_http import header_line, is_loopback, listening_sockets, url_of
from citemark.model.errors import ConfigurationError


@pytest.mark.requirement("reachable-addresses-are-refused", "off-loopback-needs-authentication")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.20", "::ffff:10.0.0.1"])  # noqa: S104
def test_an_address_that_others_can_reach_is_refused_unless_clients_are_authenticated(host: str) -> None:
    with pytest.raises(ConfigurationError, match="without a token each of them could read"):
        listening_sockets(host, 0, authenticated=False)


@pytest.mark.parametrize("host", ["", "example.org", "127.0.0.1.example.org"])
@pytest.mark.parametrize("authenticated", [True, False])
def test_a_host_name_is_not_accepted_as_an_address_to_listen_on(host: str, *, authenticated: bool) -> None:
    with pytest.raises(ConfigurationError, match="takes an address of this machine"):
        listening_sockets(host, 0, authenticated=authenticated)


@pytest.mark.requirement("off-loopback-needs-authentication")
def test_any_address_may_be_listened_on_if_clients_are_authenticated() -> None:
    (opened,) = listening_sockets("0.0.0.0", 0, authenticated=True)  # noqa: S104
    with opened:
        assert not is_loopback(opened)
    (opened,) = listening_sockets("127.0.0.1", 0, authenticated=True)
    with opened:
        assert is_loopback(opened)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.7", "localhost", "LOCALHOST"])
def test_loopback_addresses_share_one_free_port(host: str) -> None:
    sockets = listening_sockets(host, 0, authenticated=False)
    try:
        assert sockets[0].getsockname()[0].startswith("127.")
        assert {opened.getsockname()[1] for opened in sockets} != {0}
        assert len({opened.getsockname()[1] for opened in sockets}) == 1
        assert url_of(sockets[0]).startswith("http://127.")
    finally:
        for opened in sockets:
            opened.close()


def test_a_port_in_use_is_said_to_be_and_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"Port {port} is in use"):
            listening_sockets("127.0.0.1", port, authenticated=False)


def test_the_token_is_shown_on_a_terminal_and_kept_out_of_the_log_of_a_service() -> None:
    assert "Bearer s3cret" in header_line("s3cret", Path("/data/http.token"), shown=True)
    logged = header_line("s3cret", Path("/data/http.token"), shown=False)
    assert "s3cret" not in logged
    assert "/data/http.token" in logged
