"""Over what `make demo` indexes, golden questions bound an answer's cost: calls, bytes, and which page comes first."""

import re
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.served import ROOT, Served, index
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

QUESTIONS: list[dict[str, str]] = yaml.safe_load((Path(__file__).with_name("golden_queries.yaml")).read_text("utf-8"))
SEARCH_BYTES, EXCERPT_BYTES, EVIDENCE_BYTES = 16 * 1024, 8 * 1024, 16 * 1024
ENOUGH = 0.8
"""The share of questions whose answer stands in the evidence of the first five passages, and whose page is first."""


@dataclass
class Agent:
    """Asks through MCP and keeps count of what came back."""

    client: Client
    calls: int = 0
    heaviest: dict[str, int] = field(default_factory=dict[str, int])

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        self.calls += 1
        size = len(result.model_dump_json(by_alias=True, exclude_none=True).encode())
        self.heaviest[tool] = max(self.heaviest.get(tool, 0), size)
        return dict(result.structured_content or {})


@dataclass(frozen=True, slots=True)
class Demo:
    """What `make demo` said, and the index of the documentation and the sample files that it made."""

    done: "subprocess.CompletedProcess[str]"
    place: Served


@pytest.fixture(scope="module")
def demo() -> Generator[Demo, None, None]:
    folder = reachable_folder()
    place = index(folder / "data")
    command = [sys.executable, str(ROOT / "examples" / "demo.py")]
    environment = {**place.environment, "COLUMNS": "120"}
    yield Demo(
        subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=HANG_SECONDS),
        place,
    )
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def served(demo: Demo) -> Served:
    return demo.place


@asynccontextmanager
async def agent_of(served: Served) -> AsyncGenerator[Agent, None]:
    server = StdioServerParameters(
        command=served.command[0], args=served.command[1:], env=served.environment, cwd=str(ROOT)
    )
    async with Client(stdio_client(server)) as client:
        yield Agent(client)


@pytest.mark.requirement("demo-cites-within-three-minutes")
def test_the_demo_answers_three_questions_with_citations_and_shows_no_bar_in_a_pipe(demo: Demo) -> None:
    done = demo.done
    assert done.returncode == 0, done.stderr
    answers = done.stdout.split("\n? ")[1:]
    assert len(answers) == 3
    # What answers, and where it stands: a page that only repeats the question must not come first.
    for answer, words, page in zip(
        answers,
        (
            "citations of old names still find their text",
            "30 minutes|half an hour|1800",
            "190 EUR in Zurich, London and Copenhagen",
        ),
        (r"docs: following\.md", r"docs: ", r"examples: handbook/travel\.txt"),
        strict=True,
    ):
        assert re.search(rf"  \| .*({words})", answer), answer
        assert re.search(rf"^  {page}.*, lines? \d+", answer, re.MULTILINE), answer
    assert not done.stderr, "the progress bar is for terminals"


@pytest.mark.requirement("golden-questions-bound-calls-and-bytes")
async def test_one_bounded_call_holds_the_answer_of_golden_questions(served: Served) -> None:
    held: list[str] = []
    async with agent_of(served) as agent:
        for question in QUESTIONS:
            found = await agent.call("kb_retrieve_evidence", question=question["question"])
            text = " ".join(quote["quote"] for quote in found["quotes"])
            held += [question["question"]] if question["answer"].casefold() in text.casefold() else []
    assert agent.calls == len(QUESTIONS)
    assert agent.heaviest["kb_retrieve_evidence"] <= EVIDENCE_BYTES
    assert len(held) >= ENOUGH * len(QUESTIONS), sorted({entry["question"] for entry in QUESTIONS} - set(held))


@pytest.mark.requirement("golden-questions-bound-calls-and-bytes")
async def test_two_bounded_calls_lead_from_a_golden_question_to_the_text_of_its_page(served: Served) -> None:
    first: list[str] = []
    async with agent_of(served) as agent:
        for question in QUESTIONS:
            found = await agent.call("kb_search", query=question["question"])
            hits = found["results"]
            assert hits, question
            page = hits[0]["citation"]["document_id"].partition("#")[0]
            first += [question["question"]] if page == question["page"] else []
            excerpt = await agent.call("kb_read_excerpt", passage_id=hits[0]["passage_id"])
            assert excerpt["excerpt"]
    assert agent.calls == 2 * len(QUESTIONS)
    assert agent.heaviest["kb_search"] <= SEARCH_BYTES
    assert agent.heaviest["kb_read_excerpt"] <= EXCERPT_BYTES
    assert len(first) >= ENOUGH * len(QUESTIONS), sorted({entry["question"] for entry in QUESTIONS} - set(first))
