"""Everything that waits for something outside of this process says for how long."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import citemark

SOURCE = Path(citemark.__file__).parent

LIMITED_BY = {
    "subprocess.run": "timeout",
    "httpx2.post": "timeout",
    "psycopg.connect": "connect_timeout",
    "psycopg.AsyncConnection.connect": "connect_timeout",
}
"""The argument that holds the limit of a call."""

BY_OTHER_MEANS = {
    # The connection string of our own server has a limit; it is made in one place.
    ("store/embedded/server_connection.py", "psycopg.connect"): "connect_timeout=_CONNECT_TIMEOUT",
    # Nobody waits for this one: it outlives us.
    ("shutdown.py", "subprocess.Popen"): "start_new_session=True",
    ("extraction/sandbox/process.py", "asyncio.create_subprocess_exec"): "asyncio.timeout(_START_SECONDS)",
    # A request to the child waits for its answer no longer than its limits say; without it, the child ends.
    ("sources/repository_process.py", "subprocess.Popen"): "Timer(",
    # A copy of a database takes as long as it is large; a signal ends it.
    ("store/backup/client_programs.py", "asyncio.create_subprocess_exec"): "it is killed if the caller is cancelled",
    # Each request of the one client brings its limits, without a default.
    ("remote/connections.py", "httpx2.AsyncClient"): "timeouts: Timeouts,",
    # How long a connection is waited for is an argument of the pool; each statement is limited by the server.
    ("store/database.py", "ConnectionPool"): "timeout=15",
    # A person's editor runs for as long as they write.
    ("cli/programs.py", "subprocess.run"): "Run a command in this terminal, wait for it",
}
"""Calls whose limit stands elsewhere in the same file, and how it reads there."""

OUTWARD = frozenset({
    *LIMITED_BY, "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "os.system",
    "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "asyncio.open_connection",
    "asyncio.open_unix_connection", "socket.create_connection", "httpx2.AsyncClient", "httpx2.Client", "httpx2.get",
    "httpx2.post", "AsyncConnectionPool", "ConnectionPool", "psycopg.AsyncConnection.connect", "anyio.run_process",
    "anyio.open_process", "anyio.connect_tcp",
})  # fmt: skip

REFUSED_MODULES = frozenset(
    {"urllib.request", "http.client", "requests", "httpx", "aiohttp", "smtplib", "ftplib", "urllib3"}
)
"""Ways to the outside that nothing here takes."""


@dataclass(frozen=True, slots=True)
class Module:
    """One module: where it lies, its text, the nodes of its syntax."""

    name: str
    text: str
    nodes: list[ast.AST]


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    texts = {path: path.read_text("utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    return [
        Module(path.relative_to(SOURCE).as_posix(), text, list(ast.walk(ast.parse(text))))
        for path, text in texts.items()
    ]


def dotted(node: ast.expr) -> str:
    """A name and its attributes as they are written; empty for anything else."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return f"{dotted(node.value)}.{node.attr}"
        case _:
            return ""


def outward_calls(modules: list[Module]) -> Iterator[tuple[Module, str, ast.Call]]:
    """Every call that waits for the outside: where, of what."""
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.Call) and (called := dotted(node.func)) in OUTWARD:
                yield module, called, node


@pytest.mark.requirement("outside-calls-have-time-limits")
def test_every_program_connection_and_client_has_a_time_limit(modules: list[Module]) -> None:
    without: list[str] = []
    there: set[tuple[str, str]] = set()
    for module, called, node in outward_calls(modules):
        there.add((module.name, called))
        given = {keyword.arg for keyword in node.keywords}
        elsewhere = BY_OTHER_MEANS.get((module.name, called))
        if not (LIMITED_BY.get(called) in given or (elsewhere is not None and elsewhere in module.text)):
            without.append(f"{module.name}:{node.lineno} {called}")
    assert without == []
    assert BY_OTHER_MEANS.keys() <= there, "an exception for a call that is not there any more"


@pytest.mark.requirement("outside-calls-have-time-limits")
def test_nothing_reaches_the_outside_by_another_library(modules: list[Module]) -> None:
    imported = {
        (module.name, library)
        for module in modules
        for node in module.nodes
        for library in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    imported -= {("remote/proxies.py", "urllib.request")}  # it reads which proxies the environment names
    # The bridge speaks to a socket in the folder of its index, and starts in the time that a client's import takes.
    imported -= {(f"tools/bridge/{name}.py", "http.client") for name in ("local_http", "relay")}
    assert not [each for each in imported if each[1] in REFUSED_MODULES]
    # Of git only objects on this disk are read: no client of its protocols.
    assert not [each for each in imported if each[1].startswith(("dulwich.client", "dulwich.porcelain"))]


@pytest.mark.requirement("outside-calls-have-time-limits")
def test_requests_have_no_default_limit_that_could_be_forgotten() -> None:
    tree = ast.parse((SOURCE / "remote" / "connections.py").read_text("utf-8"))
    (send,) = [each for each in ast.walk(tree) if isinstance(each, ast.AsyncFunctionDef) and each.name == "send"]
    required = [each.arg for each in send.args.args][: len(send.args.args) - len(send.args.defaults)]
    assert "timeouts" in required
