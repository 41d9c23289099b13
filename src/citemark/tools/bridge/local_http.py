"""HTTP over the Unix socket that `citemark serve --http` opens in the folder of its index."""

import http.client
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ERROR_STATUS = 400
"""From here on, a status says that a request was not served."""

FAILURES = (OSError, http.client.HTTPException)
"""What a request fails with: nobody listens, the server ended or is silent, or what came is no answer."""

_CONNECT_SECONDS = 5.0


class LocalRequest(http.client.HTTPConnection):
    """One request and its answer, which another thread may abort."""

    def __init__(self, path: Path, seconds: float | None = None) -> None:
        """Create it; `seconds` is the longest silence of the server that is waited for, None for any."""
        super().__init__("localhost")
        self._path = path
        self._seconds = seconds
        self._channel: socket.socket | None = None
        self._unsent = b""
        self.aborted = False

    def send(self, data: Any) -> None:
        """Keep what is to be sent, so that head and body go out in one piece.

        A server may refuse a request by its head and close the connection; a body sent after that would break it, and
        the refusal would be lost.
        """
        self._unsent += data

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = self._channel = connected(self._path)
        self.sock.settimeout(self._seconds)
        if self.aborted:
            raise ConnectionAbortedError

    def ask(
        self, method: str, headers: Mapping[str, str], body: bytes | None = None, path: str = "/mcp"
    ) -> http.client.HTTPResponse:
        """Send a request, and wait for the head of its answer.

        Raises:
            OSError: nobody listens there, or the server ended.
            HTTPException: what came is no answer.
        """
        self._unsent = b""
        self.request(method, path, body, {**headers, "Connection": "close"})
        self.connect()
        self.sock.sendall(self._unsent)
        return self.getresponse()

    def abort(self) -> None:
        """End the request now; its thread gets an error, and the server cancels what it was doing."""
        self.aborted = True
        if self._channel is not None:
            with suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)


def connected(path: Path) -> socket.socket:
    """A connection to the socket.

    Raises:
        OSError: nobody listens there, or the path is longer than the system allows.
    """
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        channel.settimeout(_CONNECT_SECONDS)
        channel.connect(str(path))
    except OSError:
        channel.close()
        raise
    channel.settimeout(None)
    return channel


def messages_in(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """The messages of an answer, each as a line without its end, as they arrive."""
    if answer.headers.get_content_type() != "text/event-stream":
        body = answer.read().strip()
        if body:
            yield _as_line(body)
        return
    data: list[bytes] = []
    while received := answer.readline():
        field, _, value = received.rstrip(b"\r\n").partition(b":")
        if field == b"data":
            data.append(value)
        elif not field and not value and data:  # an empty line ends an event; a comment has an empty field too
            message = _as_line(b" ".join(data).strip())
            data.clear()
            if message:
                yield message


def _as_line(message: bytes) -> bytes:
    """A message without line ends, which JSON has between its parts only."""
    return message.replace(b"\r", b" ").replace(b"\n", b" ")
