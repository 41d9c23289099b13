"""The set of questions about names that no page writes: nothing is hidden because of one, and absence is told."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.integration.retrieval.world import CALLER, World
from tests.unit.tools.clients import connected, text_of

from citemark.evaluation.golden import GoldenQuestion, load_golden, stands_in
from citemark.evaluation.golden_run import told_by
from citemark.evaluation.phrasings import load_phrasings, phrased
from citemark.model.documents import Verdict
from citemark.services.requests import SearchRequest
from citemark.services.responses import Evidence

NAMES = Path(__file__).parents[2] / "data" / "names"
PAGES = {str(path.relative_to(NAMES / "docs")): path.read_text("utf-8") for path in (NAMES / "docs").rglob("*.md")}
QUESTIONS = phrased(load_golden(NAMES / "questions.yaml"), load_phrasings(NAMES / "phrasings.yaml"))


async def evidence_for(world: World, question: GoldenQuestion) -> Evidence:
    return await world.services.evidence.retrieve(CALLER, SearchRequest(question.question, also=question.also))


def is_answered(question: GoldenQuestion, evidence: Evidence) -> bool:
    quotes = [quote.quote for quote in evidence.quotes]
    return any(stands_in(entry.answer, quotes) for entry in question.expected)


@pytest.mark.slow
@pytest.mark.requirement("absence-is-told", "nine-of-ten-absences-told")
async def test_on_the_set_of_names_nothing_is_hidden_and_absence_is_told(world: World) -> None:
    await world.source("handbook", PAGES)
    asked = [(question, await evidence_for(world, question)) for question in QUESTIONS]
    answerable = [(question, evidence) for question, evidence in asked if question.answerable]
    others = [evidence for question, evidence in asked if not question.answerable]
    assert [question.question_id for question, evidence in answerable if not evidence.quotes] == []
    assert sum(is_answered(question, evidence) for question, evidence in answerable) >= 0.95 * len(answerable)
    assert sum(told_by(evidence) == "unsaid" for _, evidence in answerable) <= 0.02 * len(answerable)
    assert sum(bool(told_by(evidence)) for evidence in others) >= 0.9 * len(others)


@pytest.mark.requirement("first-line-tells-what-is-absent")
async def test_every_tool_tells_in_its_first_line_what_no_document_writes(world: World) -> None:
    await world.source("handbook", PAGES)
    about = "How do I get a Zarfix licence?", ["Zarfix licence request", "licence for Zarfix"]
    beside = "I work for Zarfix: how long is the warranty on a meter?", ["warranty period of meters"]

    async def first_lines(client: Client, question: str, also: Sequence[str]) -> list[str]:
        lines: list[str] = []
        for tool, argument in (("kb_search", "query"), ("kb_retrieve_evidence", "question")):
            arguments: dict[str, Any] = {argument: question, "also": list(also)}
            result = await client.call_tool(tool, arguments)
            lines.append(text_of(result).splitlines()[0])
            assert result.structured_content["notes"][0] == lines[-1]
        found = result.structured_content["quotes"]
        given = {"question": question, "passage_ids": [quote["passage_id"] for quote in found]}
        given_passages = await client.call_tool("kb_extract_evidence", given)
        assert text_of(given_passages).startswith('No document read here writes "Zarfix".')
        return lines

    async with connected(world.services) as client:
        central, incidental = await first_lines(client, *about), await first_lines(client, *beside)
    assert {*central} == {'No document read here writes "Zarfix". Nearest passages:'}
    assert {*incidental} == {'No document read here writes "Zarfix".'}


@pytest.mark.requirement("nothing-absent-while-hits-withheld")
async def test_nothing_is_called_absent_while_hits_are_withheld(world: World) -> None:
    source = await world.source("handbook", {"meter.md": "# Meters\n\nThe warranty on a meter lasts three years.\n"})
    world.memory[source.source_id].verdicts = {"meter.md": Verdict.UNKNOWN}
    page = await world.page("How long is the warranty that Zarfix gives on a meter?")
    assert page.meta.withheld_unverified
    assert page.meta.told == '"Zarfix" was not found in what has been read so far.'
    assert not [note for note in page.meta.notes if "mentions" in note]


@pytest.mark.requirement("unknown-name-sought-everywhere")
async def test_a_name_in_the_metadata_of_a_document_is_written(world: World) -> None:
    source = await world.source("handbook", PAGES)
    assert (await world.rank("What does Ottokar Zwirn do at the parking lot?")).absence.names == ("Ottokar", "Zwirn")
    await world.index.rows(
        "UPDATE revision SET metadata = metadata || %s WHERE source_id = %s AND body LIKE '%%parking spaces%%'",
        '{"Attendees": "Zwirn, Ottokar\\nsomebody"}',
        source.source_id,
    )
    assert (await world.rank("What does Ottokar Zwirn do at the parking lot?")).absence.names == ()
    stranger = await world.source("theirs", {"a.md": "nothing"}, tenant="elsewhere")
    await world.index.rows("UPDATE revision SET title = 'Grimbart' WHERE source_id = %s", stranger.source_id)
    assert (await world.rank("Where does Grimbart park?")).absence.names == ("Grimbart",), "the fence holds"
