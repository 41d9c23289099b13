"""What a flood of junk tokens costs a person, over the same flood against a path that is not there."""

import asyncio
import itertools
import json
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
from tests.acceptance.served import CITEMARK, Served, index, indexed
from tests.bench.locations import ROOT
from tests.bench.measure import Latency, load
from tests.support.web import MODERN, message_in, request_of

CONNECTIONS = 400
_QUESTIONS = 60
_ISSUER_SECONDS = 0.05
_ONE_CONNECTION = httpx2.Limits(max_connections=1, keepalive_expiry=600)
_PERSON = "a-token-of-alice"


async def measure() -> dict[str, object]:
    """The p95 of a person's searches: alone, under a flood of junk tokens, and under one of unknown paths."""
    before = load()
    with indexed() as folder:
        async with _issuer() as (issuer, asked):
            # Each flood has a server of its own: an address that has failed stays in a server's memory.
            alone = await _searched(folder, issuer, None)
            tokens = await _searched(folder, issuer, "/mcp")
            looked_up = asked()
            paths = await _searched(folder, issuer, "/nothing-here")
    return {
        "connections": CONNECTIONS,
        "alone": alone.as_dict(),
        "junk_tokens": tokens.as_dict(),
        "unknown_path": paths.as_dict(),
        "p95_ratio": round(tokens.p95 / paths.p95, 2),
        "asked_of_issuer": looked_up,
        "load": [before, load()],
    }


async def _searched(folder: Path, issuer: str, flooded: str | None) -> Latency:
    """The times of a person's searches, while a flood comes from another process."""
    known = index(folder)
    settings = {
        "CITEMARK_HTTP_RESOURCE": "https://citemark.example/mcp",
        "CITEMARK_OAUTH_ISSUER": issuer,
        "CITEMARK_OAUTH_INTROSPECTION_URL": f"{issuer}/introspect",
        "CITEMARK_OAUTH_CLIENT_ID": "citemark",
        "CITEMARK_OAUTH_CLIENT_SECRET": "asks",
        "CITEMARK_LOG_LEVEL": "error",
        "CITEMARK_HTTP_RATE": "100000",
    }
    async with (
        _serving(Served(known.command, known.question, known.env | settings)) as url,
        httpx2.AsyncClient(timeout=60, headers={"authorization": f"Bearer {_PERSON}"}, limits=_ONE_CONNECTION) as http,
    ):
        for _ in range(10):
            await _ask(http, url)
        if flooded is None:
            return Latency.of([await _ask(http, url) for _ in range(_QUESTIONS)])
        words = (sys.executable, "-m", "tests.bench.strangers", url, flooded)
        flood = await asyncio.create_subprocess_exec(*words, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
        try:
            assert flood.stdout is not None
            await asyncio.wait_for(flood.stdout.readline(), 60)  # every connection has had its first answer
            return Latency.of([await _ask(http, url) for _ in range(_QUESTIONS)])
        finally:
            flood.terminate()
            await flood.wait()


async def _ask(http: httpx2.AsyncClient, url: str) -> float:
    body, headers = request_of("tools/call", MODERN, name="kb_search", arguments={"query": "Which descaler?"})
    began = time.perf_counter()
    answer = await http.post(url, content=body, headers=headers)
    taken = time.perf_counter() - began
    assert not json.loads(message_in(answer))["result"].get("isError"), answer.text
    return taken


@asynccontextmanager
async def _serving(served: Served) -> AsyncGenerator[str]:
    process = await asyncio.create_subprocess_exec(
        CITEMARK, "serve", "--http", "--port", "0", env=served.environment, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        said = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
        yield said.split(" at ")[1].split()[0]
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def _issuer() -> AsyncGenerator[tuple[str, Callable[[], int]]]:
    """An authorization server that takes 50 ms to say whose a token is, and how often it was asked."""
    asked = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:] if line)
            body = await reader.readexactly(int(lines["content-length"]))
            asked += 1
            await asyncio.sleep(_ISSUER_SECONDS)
            valid = f"token={_PERSON}&".encode() in body
            claims = {"active": valid, "aud": "https://citemark.example/mcp", "sub": "alice", "scope": "semantic:read"}
            said = json.dumps(claims).encode()
            kind = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
            writer.write(kind + f"content-length: {len(said)}\r\n\r\n".encode() + said)
            await writer.drain()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", lambda: asked


async def flood(url: str, path: str) -> None:
    """Send requests over 400 connections, each with a token of its own and as soon as the one before is answered."""
    address, ready = urlsplit(url), asyncio.Semaphore(0)
    connections: list[asyncio.Task[None]] = []
    while len(connections) < CONNECTIONS:  # a few at a time: the storm of connections is not what is measured
        more = range(len(connections), len(connections) + 40)
        host, port = str(address.hostname), address.port or 80
        connections += [asyncio.create_task(_connection(host, port, path, number, ready)) for number in more]
        for _ in more:
            await ready.acquire()
    sys.stdout.write("flooding\n")
    sys.stdout.flush()
    await asyncio.gather(*connections)


async def _connection(host: str, port: int, path: str, number: int, ready: asyncio.Semaphore) -> None:
    answered = False
    for request in itertools.count():
        reader, writer = await asyncio.open_connection(host, port)
        try:
            for again in itertools.count():
                token = f"junk-{number}-{request}-{again}"
                head = f"POST {path} HTTP/1.1\r\nhost: {host}:{port}\r\nauthorization: Bearer {token}\r\n"
                writer.write(f"{head}content-length: 2\r\n\r\n{{}}".encode())
                answer = await reader.readuntil(b"\r\n\r\n")
                length = answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
                await reader.readexactly(int(length or 0))
                if not answered:
                    answered = True
                    ready.release()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


if __name__ == "__main__":
    asyncio.run(flood(*sys.argv[1:3]))
