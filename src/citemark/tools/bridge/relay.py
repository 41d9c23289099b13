"""Passes the messages of a host on to the server of its index, and the server's back."""

import http.client
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from citemark.tools.bridge.line import (
    INTERNAL_ERROR,
    Line,
    decoded,
    error_in,
    error_line,
    header_value,
    line_of,
    negotiated,
)
from citemark.tools.bridge.local_http import ERROR_STATUS, LocalRequest, messages_in

LINGER_SECONDS = 30.0
"""How long to wait for outstanding answers after the input has ended."""

_ENDLESS = "subscriptions/listen"
"""The method of a request whose answer lasts as long as the connection."""

_SESSION = "Mcp-Session-Id"
_SESSION_UNKNOWN = 404
_ENDED = (
    "The Citemark server of this index has ended or cannot be reached. Start it again (`citemark service install`, or "
    "`citemark serve --http`) and repeat this call, or restart this host."
)


class Relay:
    """One host's connection to a server: each request has a thread, everything else is passed on in order."""

    def __init__(self, path: Path, token: str, source: BinaryIO, sink: BinaryIO) -> None:
        self._path = path
        self._source = source
        self._sink = sink
        self._writing = threading.Lock()
        self._renewing = threading.Lock()
        self._asked: dict[str | int, tuple[LocalRequest, threading.Thread]] = {}
        self._fixed = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self._greeting: Line | None = None
        self._version: str | None = None
        self._session: str | None = None

    def run(self) -> None:
        """Pass messages on until the input ends, and wait for the outstanding answers."""
        while data := self._source.readline():
            if data.strip():
                self._take(line_of(data))
        last = monotonic() + LINGER_SECONDS
        for _, thread in list(self._asked.values()):
            thread.join(max(0.0, last - monotonic()))
        if self._session is not None:
            self._end_session()

    def _take(self, line: Line) -> None:
        if line.cancelled in self._asked:
            self._asked[line.cancelled][0].abort()
        if line.method == "initialize":  # what follows needs the version and the session that its answer names
            self._greeting = line
            self._exchange(LocalRequest(self._path), line)
        elif line.ident is None:
            self._exchange(LocalRequest(self._path), line)
            if line.method == "notifications/initialized" and self._session is not None:
                threading.Thread(target=self._listen, daemon=True).start()
        else:
            self._ask(line, line.ident)

    def _ask(self, line: Line, ident: str | int) -> None:
        request = LocalRequest(self._path)

        def exchange() -> None:
            self._exchange(request, line)
            self._asked.pop(ident, None)

        thread = threading.Thread(target=exchange, daemon=True)
        if line.method != _ENDLESS:
            self._asked[ident] = request, thread
        thread.start()

    def _exchange(self, request: LocalRequest, line: Line) -> None:
        """Send a message and write what comes back; a request always gets an answer, unless it was cancelled."""
        answered = False
        try:
            answer = self._answer_to(request, line)
            if line.method == "initialize":
                self._session = answer.getheader(_SESSION)
            for message in messages_in(answer):
                parts = decoded(message)
                if answer.status >= ERROR_STATUS and parts.get("id") is None:
                    self._refused(line, parts, message)
                    answered = True
                    continue
                if line.method == "initialize":
                    self._version = negotiated(parts)
                answered = answered or ("method" not in parts and parts.get("id") == line.ident)
                self._write(message)
            wrong = "" if answer.status < ERROR_STATUS else f"The server answered with status {answer.status}."
        except (OSError, http.client.HTTPException):
            wrong = _ENDED
        finally:
            request.close()
        if line.ident is not None and not answered and not request.aborted:
            self._write(error_line(line.ident, INTERNAL_ERROR, wrong or _ENDED))

    def _answer_to(self, request: LocalRequest, line: Line) -> http.client.HTTPResponse:
        """The server's answer; a server that was started anew is greeted again first."""
        session = self._session
        answer = request.ask("POST", self._headers(line), line.data)
        if answer.status != _SESSION_UNKNOWN or session is None or line.method == "initialize":
            return answer
        answer.read()
        request.close()
        self._renew(session)
        return request.ask("POST", self._headers(line), line.data)

    def _headers(self, line: Line) -> Mapping[str, str]:
        headers = {**self._fixed, **line.headers}
        if self._version is not None:
            headers.setdefault("MCP-Protocol-Version", header_value(self._version))
        if self._session is not None and line.method != "initialize":
            headers[_SESSION] = self._session
        return headers

    def _renew(self, lost: str) -> None:
        """Repeat the handshake, unless another thread has done so; the host knows its answer already."""
        with self._renewing:
            if self._session != lost or self._greeting is None:
                return
            request = LocalRequest(self._path)
            answer = request.ask("POST", self._headers(self._greeting), self._greeting.data)
            self._session = answer.getheader(_SESSION)
            answer.read()
            request.close()
            note = line_of(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
            self._exchange(LocalRequest(self._path), note)
            threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        """Write what the server sends in a session apart from answers."""
        request = LocalRequest(self._path)
        try:
            answer = request.ask("GET", self._headers(Line(b"")))
            if answer.status < ERROR_STATUS:
                for message in messages_in(answer):
                    self._write(message)
        except (OSError, http.client.HTTPException):
            return
        finally:
            request.close()

    def _end_session(self) -> None:
        request = LocalRequest(self._path)
        try:
            request.ask("DELETE", self._headers(Line(b"")))
        except (OSError, http.client.HTTPException):
            return
        finally:
            request.close()

    def _refused(self, line: Line, parts: Mapping[str, Any], message: bytes) -> None:
        """Write an error that names no request: as the answer to the one that it is about, or for a broken line."""
        if line.ident is not None:
            code, text = error_in(parts)
            self._write(error_line(line.ident, code, text or message.decode(errors="replace")))
        elif line.method is None and "error" in parts:
            self._write(message)

    def _write(self, message: bytes) -> None:
        with self._writing:
            try:
                self._sink.write(message + b"\n")
                self._sink.flush()
            except (OSError, ValueError):  # the host has gone, and nobody waits for anything
                os._exit(0)
