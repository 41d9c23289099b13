"""Sockets that only this machine can reach."""

import errno
import socket
from ipaddress import ip_address

from citemark.model.errors import ConfigurationError

_NAMED = ("127.0.0.1", "::1")
"""What `localhost` stands for; asking a resolver would let a name server decide who can reach us."""

_NO_SUCH_ADDRESS = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})
_BACKLOG = 512


def loopback_sockets(host: str, port: int) -> list[socket.socket]:
    """Listening sockets on a loopback address, two for `localhost`. Port 0 takes a free one.

    Raises:
        ConfigurationError: the address is not loopback, or the port cannot be had.
    """
    listening: list[socket.socket] = []
    try:
        for address in _addresses(host):
            try:
                opened = _listen(address, port)
            except OSError as error:
                if listening and error.errno in _NO_SUCH_ADDRESS:
                    continue  # `localhost` on a machine without IPv6
                raise
            listening.append(opened)
            port = port or opened.getsockname()[1]
    except OSError as error:
        for opened in listening:
            opened.close()
        raise _unavailable(host, port, error) from None
    return listening


def url_of(listening: socket.socket) -> str:
    """The base address of a listening socket."""
    address, port = listening.getsockname()[:2]
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def _addresses(host: str) -> tuple[str, ...]:
    if host.lower() == "localhost":
        return _NAMED
    try:
        loopback = ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise ConfigurationError(
            f"--host takes 127.0.0.1, ::1 or localhost, not {host!r}: over HTTP this version cannot tell who asks, so "
            "any machine that reaches it could read the index. From another machine, tunnel to it (ssh -L)."
        )
    return (host,)


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # asyncio turns Nagle's algorithm off only where the protocol is named; with it each answer waits some 40 ms.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((address, port))
        opened.listen(_BACKLOG)
    except OSError:
        opened.close()
        raise
    return opened


def _unavailable(host: str, port: int, error: OSError) -> ConfigurationError:
    if error.errno == errno.EADDRINUSE:
        return ConfigurationError(f"Port {port} is in use; stop what uses it, or choose another with --port (0: any).")
    return ConfigurationError(f"Cannot listen on {host} port {port}: {error.strerror}; choose another with --port.")
