"""Requests over the socket of an index."""

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from citemark.tools.bridge.local_http import LocalRequest

_REFUSED = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnope"


@pytest.mark.requirement("one-server-by-a-bridge")
def test_a_server_that_refuses_a_request_at_its_first_bytes_is_understood(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listening, ThreadPoolExecutor(1) as server:
        listening.bind(str(path))
        listening.listen()

        def refuse() -> bytes:
            channel, _ = listening.accept()
            with channel:
                read = channel.recv(1 << 16)
                channel.sendall(_REFUSED)
            return read

        serving = server.submit(refuse)
        request = LocalRequest(path, 60)
        answer = request.ask("POST", {"Accept": "text/plain"}, b"the body")
        assert (answer.status, answer.read()) == (401, b"nope")
        request.close()
        assert serving.result().endswith(b"\r\n\r\nthe body")
