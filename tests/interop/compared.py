"""`make interop`, second part: Citemark and other retrieval servers on the same folder and questions, into a page.

Each is installed in an environment of its own, adds the same folder, and is asked the same ten questions by its MCP
tool, in one phrasing and with its defaults. A hit is a result that contains the words of the answer. Only servers that
the registries hold and that work without downloading a model are asked; why others are not stands on the page.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, cast

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent
from tests.acceptance.served import BUILD, ROOT
from tests.bench import results
from tests.bench.locations import SHARED
from tests.interop.environments import NODE, NPM

from citemark.evaluation.golden import load_golden, stands_in
from citemark.evidence.budget import bytes_len

_CORPUS = SHARED / "public" / "enterprise-rag-bench-v0" / "corpus"
_PAGE = ROOT / "docs" / "compared.md"
_EVERY = 4
"""Of forty questions that were written from the documents before any result was looked at, every fourth is asked."""

_QUESTIONS = 10
_MIB = 2**20
_WORK = BUILD / "compared"
_TIMEOUT = 900


@dataclass(frozen=True, slots=True)
class Peer:
    """A server: what it is installed from, how it adds a folder, how it is started, and the call that asks it.

    In commands and arguments, {bin} is the folder of the environment's commands, {folder} the documents, {home} a
    folder of its own; {question} in an argument is the question.
    """

    name: str
    package: str
    add: Sequence[str]
    serve: Sequence[str]
    tool: str
    arguments: Mapping[str, Any]
    ranks: str
    node: bool = False
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


_CITEMARK = Peer(
    "Citemark",
    f"citemark=={version('citemark')}",
    ("{bin}/citemark", "add", "docs", "{folder}", "--name", "compared"),
    ("{bin}/citemark", "serve"),
    "kb_retrieve_evidence",
    {"question": "{question}"},
    "words and vectors",
    environment={"CITEMARK_DATA_DIR": "{home}/citemark", "CITEMARK_LOG_LEVEL": "error"},
)
PEERS: Sequence[Peer] = (
    _CITEMARK,
    Peer(
        "qmd",
        "@tobilu/qmd@2.8.3",
        ("{bin}/qmd", "collection", "add", "{folder}", "--name", "compared"),
        ("{bin}/qmd", "mcp"),
        "query",
        {"searches": [{"type": "lex", "query": "{question}"}], "rerank": False},
        "words (its vectors need a download)",
        node=True,
    ),
    Peer(
        "locus-rag",
        "locus-rag==1.1.0",
        ("{bin}/locus", "--store", "{home}/locus", "index", "{folder}"),
        ("{bin}/locus", "--store", "{home}/locus", "mcp"),
        "locus_retrieve",
        {"query": "{question}", "store_path": "{home}/locus"},
        "words",
    ),
    Peer(
        "agents-docs",
        "agents-docs==0.45.0",
        ("{bin}/agents-docs", "ingest", "compared", "{folder}"),
        ("{bin}/agents-docs", "serve"),
        "search_docs",
        {"query": "{question}", "category": "compared"},
        "words",
    ),
    Peer(
        "server-filesystem",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
        (),
        ("{bin}/mcp-server-filesystem", "{folder}"),
        "search_files",
        {"path": "{folder}", "pattern": "*{question}*"},
        "names of files",
        node=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What one server did: seconds, mebibytes, hits, and bytes of the list of tools and of a result."""

    peer: Peer
    install: float
    mib: float
    add: float
    processor: float
    tools: int
    tool_bytes: int
    hits: int
    result_bytes: float
    seconds: float


def main() -> int:
    """Measure every server, and write the page."""
    before = os.getloadavg()[0]
    rows: list[Measured] = []
    for peer in PEERS:
        rows.append(_measured(peer))
        print(_table(rows).splitlines()[-1], flush=True)  # noqa: T201 - it takes minutes
    table = _table(rows)
    page = Path(__file__).with_name("compared.md").read_text("utf-8")
    known = results.read()
    missing = [part for part in ("yardsticks", "agent_cost") if part not in known]
    if missing:
        print(f"the page is not written: first run python -m tests.bench {' '.join(missing)}")  # noqa: T201
        return 0
    filled = {
        "table": table,
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
        "cores": str(os.cpu_count()),
        "load": f"{max(before, os.getloadavg()[0]):.0f}",
        **_yardsticks(known),
    }
    for name, value in filled.items():
        page = page.replace(f"{{{name}}}", value)
    _PAGE.write_text(page, "utf-8")
    return 0


def _measured(peer: Peer) -> Measured:
    home = _WORK / peer.name / "home"
    shutil.rmtree(home.parent, ignore_errors=True)
    home.mkdir(parents=True)
    began = time.perf_counter()
    commands = _installed(peer, home.parent / "environment")
    installed = time.perf_counter() - began
    places = {"bin": str(commands), "folder": str(_CORPUS), "home": str(home)}
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}",
        **{name: value.format(**places) for name, value in peer.environment.items()},
    }
    began, processor = time.perf_counter(), _processor()
    if peer.add:
        add = [part.format(**places) for part in peer.add]
        subprocess.run(add, env=environment, check=True, capture_output=True, timeout=_TIMEOUT, cwd=home)
    added, processor = time.perf_counter() - began, _processor() - processor
    try:
        tools, tool_bytes, asked = asyncio.run(_asked(peer, environment, places))
    finally:
        if peer is _CITEMARK:
            subprocess.run([str(commands / "citemark"), "stop"], env=environment, check=False, capture_output=True)
    size = sum(path.lstat().st_size for path in (home.parent / "environment").rglob("*") if path.is_file())
    sizes, hits, seconds = zip(*asked, strict=True)
    figures = sum(hits), median(sizes), median(seconds)
    return Measured(peer, installed, size / _MIB, added, processor, tools, tool_bytes, *figures)


def _processor() -> float:
    """Seconds that the processes started so far have computed, of those that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _installed(peer: Peer, folder: Path) -> Path:
    """Install a server in an environment of its own; returns the folder of its commands."""
    if peer.node:
        folder.mkdir()
        (folder / "package.json").write_text("{}", "utf-8")
        environment = {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
        npm = [str(NODE), str(NPM), "install", "--silent", "--no-audit", "--no-fund", peer.package]
        subprocess.run(npm, cwd=folder, check=True, env=environment, capture_output=True)
        return folder / "node_modules" / ".bin"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, str(folder)], check=True)
    install = [*uv, "pip", "install", "--python", str(folder / "bin" / "python")]
    if peer is _CITEMARK:  # no registry has it yet: from this folder, as the Makefile installs it
        wheels = map(str, (BUILD / "wheels").glob("citemark_minilm-*.whl"))
        subprocess.run([*install, "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")], check=True)
        subprocess.run([*install, "--no-deps", *wheels, str(ROOT)], check=True)
    else:
        subprocess.run([*install, peer.package], check=True)
    return folder / "bin"


async def _asked(
    peer: Peer, environment: dict[str, str], places: dict[str, str]
) -> tuple[int, int, list[tuple[int, bool, float]]]:
    """The number and bytes of the tools, and for each question the bytes of the result, whether it hit, and seconds."""
    command, *arguments = [part.format(**places) for part in peer.serve]
    server = StdioServerParameters(command=command, args=arguments, env=environment, cwd=places["home"])
    async with Client(stdio_client(server, errlog=subprocess.DEVNULL)) as client:  # pyright: ignore[reportArgumentType]
        tools = (await client.list_tools()).tools
        listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
        found: list[tuple[int, bool, float]] = []
        for question, answer in _questions():
            began = time.perf_counter()
            result = await client.call_tool(peer.tool, asks(peer, {**places, "question": question}))
            taken = time.perf_counter() - began
            text = "".join(block.text for block in result.content if isinstance(block, TextContent))
            found.append((bytes_len(text), holds(answer, text, result.structured_content), taken))
    return len(tools), bytes_len(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))), found


def asks(peer: Peer, places: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of the call that asks a server the question in `places`."""
    return {name: _filled(value, places) for name, value in peer.arguments.items()}


def holds(answer: str, text: str, structured: object) -> bool:
    """Whether a result has the words of an answer, in its text, in a text that is JSON, or in structured content."""
    return stands_in(answer, [text, _unescaped(text), *_strings(structured)])


def _questions() -> list[tuple[str, str]]:
    every = load_golden(ROOT / "tests" / "data" / "unanswered" / "questions.yaml")
    answerable = [each for each in every if each.answerable][::_EVERY][:_QUESTIONS]
    return [(each.question, each.groups[0][0].answer) for each in answerable]


def _filled(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each, places) for key, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_filled(each, places) for each in cast("list[Any]", value)]
    return value.format(**places) if isinstance(value, str) else value


def _strings(value: object) -> list[str]:
    """Every text in a structured result."""
    if isinstance(value, str):
        return [value]
    parts: list[object] = []
    if isinstance(value, dict):
        parts = list(cast("dict[str, object]", value).values())
    elif isinstance(value, list):
        parts = cast("list[object]", value)
    return [text for part in parts for text in _strings(part)]


def _unescaped(text: str) -> str:
    """The texts in a result that is written as JSON; the text itself if it is not."""
    try:
        return "\n".join(_strings(json.loads(text)))
    except json.JSONDecodeError:
        return text


def _table(rows: Sequence[Measured]) -> str:
    heads = "server|ranks by|install, s|installed, MiB|add the folder, s (processor)|hits of 10|bytes of a result"
    heads += "|a question, ms|tools|bytes of the tool list"
    lines = [f"| {heads.replace('|', ' | ')} |", "| --- " * 10 + "|"]
    for row in rows:
        named = row.peer.package.rpartition("@")[2] if row.peer.node else row.peer.package.rpartition("==")[2]
        cells = (
            f"{row.peer.name} {named}",
            row.peer.ranks,
            f"{row.install:.0f}",
            f"{row.mib:.0f}",
            f"{row.add:.0f} ({row.processor:.0f})" if row.peer.add else "-",
            str(row.hits),
            f"{row.result_bytes:,.0f}",
            f"{1000 * row.seconds:.0f}",
            str(row.tools),
            f"{row.tool_bytes:,}",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _yardsticks(known: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The figures of the public yardsticks, by the names that they have on the page."""
    company, cost, spans = known["yardsticks"]["enterprise"], known["agent_cost"], known["yardsticks"]["spans"]
    rivals = {**company["published"], "Citemark": company["score"]}
    ordered = sorted(rivals.items(), key=lambda pair: -pair[1])
    scores = ["| product | score |", "| --- | --- |", *(f"| {name} | {score:.1f} |" for name, score in ordered)]
    paid = ["| | Citemark | grep |", "| --- | --- | --- |"]
    for label, key in _PAID:
        paid.append(f"| {label} | {cost['citemark'][key]:,} | {cost['grep'][key]:,} |")
    cut = ["| text | recall | precision | IoU |", "| --- | --- | --- | --- |"]
    cut += [f"| {name} | {found['recall']} | {found['precision']} | {found['iou']} |" for name, found in spans.items()]
    return {
        "scores": "\n".join(scores),
        "score_95": f"{company['score_95']}",
        "told": f"{company['unanswerable_told']} of {company['unanswerable']}",
        "multi_hop": f"{company['recall']['multi_hop']}",
        "cost": "\n".join(paid),
        "questions": str(cost["questions"]),
        "spans": "\n".join(cut),
        "yardsticks_on": str(known["yardsticks"]["on"]),
    }


_PAID = (
    ("right answers read", "right"),
    ("of them by the first call or command", "right_at_first"),
    ("calls or commands, all questions", "calls"),
    ("bytes read, all questions", "bytes"),
)


if __name__ == "__main__":
    sys.exit(main())
