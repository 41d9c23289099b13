"""Everything that waits for something outside of this process says for how long."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import citemark

SOURCE = Path(citemark.__file__).parent

LIMITED_BY = {
    "subprocess.run": "timeout",
    "psycopg.connect": "connect_timeout",
    "psycopg.AsyncConnection.connect": "connect_timeout",
}
"""The argument that holds the limit of a call."""

BY_OTHER_MEANS = {
    # The connection string of our own server has a limit; it is made in one place.
    ("store/embedded/server_connection.py", "psycopg.connect"): "connect_timeout=_CONNECT_TIMEOUT",
    # Nobody waits for this one: it outlives us.
    ("shutdown.py", "subprocess.Popen"): "start_new_session=True",
    ("extraction/sandbox/process.py", "asyncio.create_subprocess_exec"): "asyncio.wait_for",
    # Each request of the one client brings its limits, without a default.
    ("remote/connections.py", "httpx2.AsyncClient"): "timeouts: Timeouts,",
    # How long a connection is waited for is an argument of the pool; each statement is limited by the server.
    ("store/database.py", "AsyncConnectionPool"): "timeout=15",
}
"""Calls whose limit stands elsewhere in the same file, and how it reads there."""

OUTWARD = frozenset({
    *LIMITED_BY, "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "os.system",
    "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "asyncio.open_connection",
    "asyncio.open_unix_connection", "socket.create_connection", "httpx2.AsyncClient", "httpx2.Client", "httpx2.get",
    "httpx2.post", "AsyncConnectionPool", "psycopg.AsyncConnection.connect", "anyio.run_process", "anyio.open_process",
    "anyio.connect_tcp",
})  # fmt: skip

REFUSED_MODULES = frozenset(
    {"urllib.request", "http.client", "requests", "httpx", "aiohttp", "smtplib", "ftplib", "urllib3"}
)
"""Ways to the outside that nothing here takes."""


def modules() -> Iterator[tuple[str, str, ast.Module]]:
    """Every module by its path, with its text and tree."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        yield path.relative_to(SOURCE).as_posix(), text, ast.parse(text)


def outward_calls() -> Iterator[tuple[str, str, str, ast.Call]]:
    """Every call that waits for the outside: where, in which text, of what."""
    for name, text, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (called := ast.unparse(node.func)) in OUTWARD:
                yield name, text, called, node


@pytest.mark.requirement("i12-5-outside")
def test_every_program_connection_and_client_has_a_time_limit() -> None:
    without: list[str] = []
    there: set[tuple[str, str]] = set()
    for name, text, called, node in outward_calls():
        there.add((name, called))
        given = {keyword.arg for keyword in node.keywords}
        elsewhere = BY_OTHER_MEANS.get((name, called))
        if not (LIMITED_BY.get(called) in given or (elsewhere is not None and elsewhere in text)):
            without.append(f"{name}:{node.lineno} {called}")
    assert without == []
    assert BY_OTHER_MEANS.keys() <= there, "an exception for a call that is not there any more"


@pytest.mark.requirement("i12-5-outside")
def test_nothing_reaches_the_outside_by_another_library() -> None:
    imported = {
        (name, module)
        for name, _, tree in modules()
        for node in ast.walk(tree)
        for module in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    imported -= {("remote/proxies.py", "urllib.request")}  # it reads which proxies the environment names
    assert not [each for each in imported if each[1] in REFUSED_MODULES]
    # Of git only objects on this disk are read: no client of its protocols.
    assert not [each for each in imported if each[1].startswith(("dulwich.client", "dulwich.porcelain"))]


@pytest.mark.requirement("i12-5-outside")
def test_requests_have_no_default_limit_that_could_be_forgotten() -> None:
    tree = ast.parse((SOURCE / "remote" / "connections.py").read_text("utf-8"))
    (send,) = [each for each in ast.walk(tree) if isinstance(each, ast.AsyncFunctionDef) and each.name == "send"]
    named = {each.arg: default for each, default in zip(send.args.kwonlyargs, send.args.kw_defaults, strict=True)}
    assert "timeouts" in named
    assert named["timeouts"] is None
