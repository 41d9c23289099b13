"""`make interop`: clients of other makers against `citemark serve --http`, into a table.

Each client lists the tools, searches, asks for evidence, reads the scratch address of a hit, makes a call that must
fail and has a question answered; then the same against a server without structured content. Agents of ten frameworks
then answer a question by a model that refuses requests as the real APIs do, and three clients of gRPC ask the same over
`citemark serve --grpc`. Exit code 1 when anything is not as it should be.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.acceptance.served import ROOT, OverHttp, index, indexed, over_http
from tests.interop.environments import NotInstalled, command_of
from tests.interop.frameworks import agent_rows, agent_table
from tests.interop.matrix import CLIENTS, Foreign
from tests.interop.query_services import grpc_rows, grpc_table

from citemark.tools.answer_tools import KB_ANSWER
from citemark.tools.kb import KB_TOOLS
from citemark.tools.registry import spell

_PAGE = ROOT / "docs" / "interop.md"
_TIMEOUT = 120
_QUESTION = "Which descaler may be used?"
_ANSWER = "citric acid"
_STEPS = ("tools", "search", "evidence", "scratch", "error", "answer", "text only")
_GOOD = frozenset({"ok", "by its model", "in quotes"})


@dataclass(frozen=True, slots=True)
class Row:
    """What one client saw; a step is one of `_GOOD` or what was wrong."""

    client: Foreign
    version: str
    protocol: str
    steps: dict[str, str]

    @property
    def passed(self) -> bool:
        """Whether every step went well."""
        return _GOOD.issuperset(self.steps.values())


def main() -> int:
    """Run the matrix."""
    with indexed() as folder:
        full, bare = index(folder), index(folder)
        bare.env["MCP_STRUCTURED_OUTPUT_ENABLED"] = "0"
        with over_http(full) as whole, over_http(bare) as plain:
            rows = [_row(client, whole, plain) for client in CLIENTS]
            agents = list(agent_rows(whole, _QUESTION))
        over_grpc = list(grpc_rows(full, folder.parent, _ANSWER))
    tables = {"table": _table(rows), "agents": agent_table(agents), "grpc": grpc_table(over_grpc)}
    print(*tables.values(), sep="\n\n")  # noqa: T201 - the report
    page = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    for name, table in tables.items():
        page = page.replace(f"{{{name}}}", table)
    _PAGE.write_text(page, encoding="utf-8")
    return 0 if all(row.passed for row in (*rows, *agents, *over_grpc)) else 1


def _row(client: Foreign, whole: OverHttp, bare: OverHttp) -> Row:
    seen, plain = _seen(client, whole), _seen(client, bare)
    steps = {step: str(seen["failed"]) for step in _STEPS} if "failed" in seen else _steps(client, seen)
    steps["text only"] = plain.get("failed") or _ok(_steps(client, plain), plain)
    return Row(client, seen.get("version", "?"), seen.get("protocol", "?"), steps)


def _seen(client: Foreign, server: OverHttp) -> dict[str, Any]:
    """What a client saw of a server, or why it saw nothing."""
    try:
        command, environment = command_of(client)
        done = subprocess.run(
            [*command, server.url, _QUESTION, *client.arguments],
            env={**os.environ, **environment, "CITEMARK_TOKEN": server.token},
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except (NotInstalled, subprocess.CalledProcessError) as error:
        return {"failed": f"not installed: {error}"[:120]}
    except subprocess.TimeoutExpired:
        return {"failed": f"not done in {_TIMEOUT} s"}
    if done.returncode:
        sys.stderr.write(f"{client.name}:\n{done.stderr}\n")
        return {"failed": (done.stderr.strip().splitlines() or ["no word"])[-1][:120]}
    return json.loads(done.stdout)


def _steps(client: Foreign, seen: dict[str, Any]) -> dict[str, str]:
    search, evidence, error = (json.dumps(seen[step]) for step in ("search", "evidence", "error"))
    right = {
        "tools": seen["tools"] == [spell(tool.name, "underscore") for tool in (*KB_TOOLS, KB_ANSWER)],
        "search": not seen["search"]["is_error"] and "citemark://scratch/" in search,
        "evidence": not seen["evidence"]["is_error"] and _ANSWER in evidence,
        "scratch": bool(seen["scratch"]),
        "error": seen["error"]["is_error"] and "INVALID_ARGUMENT" in error and "top_k" in error,
    }
    steps = {step: "ok" if good else "wrong" for step, good in right.items()}
    return steps | {"answer": _answered(client, seen["answer"])}


def _answered(client: Foreign, answer: dict[str, Any]) -> str:
    """Who wrote the answer: the client's model wherever it can be asked, else the documents."""
    said = json.dumps(answer)
    by_model = re.search(r"generated_by\W+client_sampling", said) is not None
    if answer["is_error"] or _ANSWER not in said or by_model != client.lends_model:
        return "wrong"
    return "by its model" if by_model else "in quotes"


def _ok(steps: dict[str, str], seen: dict[str, Any]) -> str:
    """Of a server without structured content: every step as before, and the results whole in the text."""
    wrong = [step for step, told in steps.items() if told not in _GOOD]
    if wrong:
        return "wrong: " + ", ".join(wrong)
    found = seen["search"]["structured"] or json.loads(seen["search"]["text"])
    return "ok" if found["results"] else "wrong: no results"


def _table(rows: list[Row]) -> str:
    lines = ["| client | version | protocol | " + " | ".join(_STEPS) + " |", "| --- " * (len(_STEPS) + 3) + "|"]
    for row in rows:
        cells = [row.client.name, row.version, row.protocol, *(row.steps[step] for step in _STEPS)]
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
