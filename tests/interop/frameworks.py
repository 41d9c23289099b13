"""Agents of other makers: what each sends to its model, which refuses what the real APIs refuse."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tests.acceptance.served import OverHttp
from tests.interop.environments import CLIENTS, NotInstalled, python_of
from tests.interop.model_api import NAME_PATTERN, ModelApi, model_api

from citemark.tools.kb import KB_TOOLS

SAYS = "Use citric acid [1]."
"""The last word of the model."""

_EVIDENCE = "citric acid"
_TIMEOUT = 170
_QUIET = {"OTEL_SDK_DISABLED": "true", "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false"}
"""Agents report to their makers by default."""


@dataclass(frozen=True, slots=True)
class Framework:
    """A maker's package and the environment that it is tried in."""

    package: str
    environment: str


FRAMEWORKS = (
    Framework("openai-agents", "openai-agents"),
    Framework("semantic-kernel", "semantic-kernel"),
    Framework("pydantic-ai-slim", "pydantic-ai"),
    Framework("langchain-mcp-adapters", "langchain"),
    Framework("crewai-tools", "crewai-tools"),
    Framework("autogen-ext", "autogen-ext"),
    Framework("strands-agents", "strands-agents"),
    Framework("smolagents", "smolagents"),
    Framework("google-adk", "google-adk"),
    Framework("agno", "agno"),
)


@dataclass(frozen=True, slots=True)
class AgentRow:
    """What became of one framework's agent; a step is "ok" or what was wrong."""

    package: str
    version: str
    names: str
    called: str
    answered: str

    @property
    def passed(self) -> bool:
        """Whether every step went well."""
        return {self.names, self.called, self.answered} == {"ok"}


def agent_rows(server: OverHttp, question: str) -> Iterator[AgentRow]:
    """Let an agent of each framework answer the question from the server at an address."""
    with model_api(question, SAYS) as model:
        for framework in FRAMEWORKS:
            model.clear()
            yield _row(framework, server, model)


def agent_table(rows: list[AgentRow]) -> str:
    """Write the rows as a table of Markdown."""
    lines = ["| agent of | version | names accepted | model calls | answer |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        cells = (row.package, row.version, row.names, row.called, row.answered)
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return "\n".join(lines)


def _row(framework: Framework, server: OverHttp, model: ModelApi) -> AgentRow:
    try:
        version, answer = _answer(framework, server, model)
    except NotInstalled as error:
        return AgentRow(framework.package, "", *[f"not installed: {error}"[:120]] * 3)
    missing = [tool.name for tool in KB_TOOLS if not any(_is_spelled(tool.name, name) for name in model.tools)]
    bad = [name for name in model.tools if re.fullmatch(NAME_PATTERN, name) is None]
    names = "; ".join([*model.refusals, *bad, *(f"{name} is missing" for name in missing)])[:120]
    found = any(_EVIDENCE in result for result in model.results)
    called = "ok" if found else (model.results or ["no tool was called"])[-1][:120]
    return AgentRow(framework.package, version, names or "ok", called, "ok" if answer == SAYS else answer[:120])


def _is_spelled(tool: str, name: str) -> bool:
    """True where a client's name for the tool is ours, or ours behind the name of the server."""
    return name.endswith(tool.replace(".", "_"))


def _answer(framework: Framework, server: OverHttp, model: ModelApi) -> tuple[str, str]:
    """Version and last word; of an agent that failed, the last line of its complaint."""
    command = [str(python_of(framework.environment)), str(CLIENTS / "agent_frameworks.py"), framework.package]
    try:
        done = subprocess.run(
            [*command, server.url, model.question, model.url],
            env={**os.environ, **_QUIET, "CITEMARK_TOKEN": server.token},
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return "", f"not done in {_TIMEOUT} s"
    if done.returncode:
        sys.stderr.write(f"{framework.package}:\n{done.stderr}\n")
        return "", (done.stderr.strip().splitlines() or ["no word"])[-1]
    said = json.loads(done.stdout.strip().splitlines()[-1])
    return said["version"], said["answer"]
