"""Evidence over stores in memory: what fills the budget, in which order, and what is never quoted."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
from tests.support.in_memory_services import ME, InMemoryWorld

from citemark.embedding.contract import Embedder
from citemark.evidence.budget import EvidenceLimits
from citemark.model.documents import Verdict
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import DocumentId, RevisionId
from citemark.model.text import Span
from citemark.retrieval.question import RankedCandidate, Ranking, VerifiedHit, Why
from citemark.services.evidence import answering, in_reading_order, in_turn, nearness, newer_first
from citemark.services.requests import SearchRequest
from citemark.text.citation_line import line_of

PADDING = " The rest of it says how pumps are painted, and in which of many colours." * 3


async def quoted(world: InMemoryWorld, query: str, **limits: int) -> list[tuple[str, str]]:
    """Pages and quotes."""
    found = await world.quote(query, **limits)
    return [(quote.section_id, quote.quote) for quote in found.quotes]


@pytest.mark.requirement("evidence-fills-a-byte-budget")
async def test_the_best_passages_of_one_page_are_all_quoted_until_the_budget_is_full() -> None:
    world = InMemoryWorld()
    for number in range(6):
        text = f"Valve number {number} opens at {number} bar.{PADDING}"
        world.stores.put(world.docs, "valves.md", text, page_id=DocumentId(1))
    found = await quoted(world, "valve opens", max_bytes=1_000)
    assert [page for page, _ in found] == ["valves.md"] * 4
    assert sum(len(words) for _, words in found) <= 1_000
    assert len(await quoted(world, "valve opens", max_bytes=8_000)) == 6


async def test_at_most_top_k_documents_are_quoted_and_those_withheld_are_replaced() -> None:
    world = InMemoryWorld({f"page-{number}.md": f"Valve number {number}. {number} bar." for number in range(6)})
    world.told.verdicts["page-0.md"] = Verdict.UNKNOWN
    found = await world.evidence.retrieve(ME, SearchRequest("valve", top_k=3, min_score=0.0), EvidenceLimits())
    assert {quote.section_id for quote in found.quotes} == {"page-1.md", "page-2.md", "page-3.md"}
    assert found.meta.withheld_unverified == 1


@pytest.mark.requirement("near-versions-quoted-once")
async def test_versions_that_differ_in_links_are_quoted_once() -> None:
    text = "The valve opens. See [valves]({0}) or https://a.example/{0} now.\n\n[valves]: /{0}/valves"
    world = InMemoryWorld({f"{name}/valves.md": text.format(name) for name in ("draft", "1.2")})
    (quote,) = (await world.quote("valve opens")).quotes
    assert {quote.section_id, *quote.also_in} == {"draft/valves.md", "1.2/valves.md"}
    world.stores.put(world.docs, "other.md", "The valve opens not. See [valves](x).")
    assert len((await world.quote("valve opens")).quotes) == 2


def _table(world: InMemoryWorld, rows: int) -> str:
    """A page of one table and its rows, as indexing makes them; the text of the table."""
    page: dict[str, Any] = {"page_id": DocumentId(9), "revision_id": RevisionId(9)}
    header = "| valve | opens at |"
    table = "\n".join([header, "|---|---|", *(f"| valve {n} | {n} bar of steam |" for n in range(rows))])
    world.stores.put(world.docs, "valves.md", table, span=Span(0, len(table)), **page)
    for row in table.splitlines()[2:]:
        span = Span(table.index(row), table.index(row) + len(row))
        world.stores.put(world.docs, "valves.md", row, span=span, context=f"Valves\n{header}", **page)
    return table


@pytest.mark.requirement("table-rows-are-passages")
async def test_a_table_that_is_quoted_whole_includes_its_rows() -> None:
    world = InMemoryWorld()
    table = _table(world, 5)
    (quote,) = (await world.quote("valve 3")).quotes
    assert (quote.quote, quote.header) == (table, "")


@pytest.mark.requirement("table-rows-are-passages")
async def test_the_answering_rows_of_a_long_table_are_quoted_with_their_header() -> None:
    world = InMemoryWorld()
    _table(world, 60)
    first, *others = (await world.quote("33")).quotes
    assert (first.quote, first.header) == ("| valve 33 | 33 bar of steam |", "| valve | opens at |")
    assert not others


@pytest.mark.requirement("newer-mail-first-citations-dated")
async def test_the_newer_of_two_similarly_relevant_mails_with_one_subject_comes_first() -> None:
    world = InMemoryWorld()
    for name, title, dated in (
        ("1.eml", "Pump", "2026-01-05T08:00:00+00:00"),
        ("2.eml", "Re: Pump", "2026-02-07T08:00:00+00:00"),
        ("3.eml", "Fwd: AW: pump", "2026-01-20"),
        ("4.eml", "Holidays", "2026-03-01"),
    ):
        world.stores.put(world.docs, name, f"The pump runs. ({name})", title=title, dated=dated)
    found = (await world.quote("pump runs")).quotes
    assert [quote.section_id for quote in found] == ["2.eml", "3.eml", "1.eml", "4.eml"]
    assert found[0].citation.dated == "2026-02-07T08:00:00+00:00"
    assert "dated 2026-02-07" in line_of(found[0].citation)


@pytest.mark.requirement("figures-choose-among-siblings")
@pytest.mark.parametrize("question", ["dentist in April 2026", "Zahnarzt (dentist) am 22.04.", "dentist on April 22nd"])
async def test_the_appointment_that_is_asked_for_comes_before_a_newer_one_of_the_same_name(question: str) -> None:
    world = InMemoryWorld()
    for day, month in ((11, 2), (22, 4), (17, 6)):
        text = f"# Dentist\n\n- When: {day:02}.{month:02}.2026, 15:30 to 16:00"
        dated = f"2026-{month:02}-{day:02}"
        world.stores.put(world.docs, f"{month}.ics", text, title="Dentist", dated=dated)
    assert (await world.quote(question)).quotes[0].section_id == "4.ics"
    assert (await world.quote("when is the dentist?")).quotes[0].section_id == "6.ics"


@pytest.mark.requirement("newer-mail-of-a-thread-first")
async def test_the_newer_mail_comes_first_although_it_says_less_and_others_are_found_between_them() -> None:
    world = InMemoryWorld()
    for name, title, dated, text in (
        ("1.eml", "Kiln price", "2026-01-05T08:00:00+00:00", "The kiln price is 40."),
        ("notes.md", "Notes", "", "The kiln price changed."),
        ("2.eml", "Re: Kiln price", "2026-01-05T09:30:00+03:00", "The kiln price went up: for us it is now 47."),
        ("3.eml", "Re: Kiln price", "2026-01-05T07:30:00+00:00", "Kiln price: 45, and not a cent more than that."),
    ):
        world.stores.put(world.docs, name, text, title=title, dated=dated)
    quotes = (await world.quote("kiln price", max_bytes=2_000)).quotes
    assert [quote.section_id for quote in quotes if quote.section_id != "notes.md"] == ["1.eml", "3.eml", "2.eml"]


@pytest.mark.parametrize(
    ("name", "title", "relevance", "first"),
    [
        ("2.eml", "Re: pump", 0.8, "2.eml"),
        ("2.eml", "Pump", 0.8, "2.eml"),
        ("2.eml", "Re: pump", 0.5, "1.eml"),
        ("2.eml", "Holidays", 0.99, "1.eml"),
        ("2.md", "pump", 0.8, "1.eml"),
        ("2.md", "pump", 0.99, "2.md"),
    ],
)
@pytest.mark.requirement("newer-mail-of-a-thread-first")
def test_a_later_mail_supersedes_an_earlier_one_only_where_it_answers_too(
    name: str, title: str, relevance: float, first: str
) -> None:
    def hit(number: int, name: str, title: str, dated: str, relevance: float) -> VerifiedHit:
        world = InMemoryWorld()
        text, page = "The pump runs.", DocumentId(number)
        chunk = world.stores.put(world.docs, name, text, title=title, dated=dated, page_id=page)
        why = Why(1, 1, relevance, relevance, 1.0, relevance, 0.03)
        return VerifiedHit(RankedCandidate(number, number, 1, relevance, why), chunk, world.docs)

    older = hit(1, "1.eml", "Pump", "2026-01-05T08:00:00+00:00", 1.0)
    between = hit(2, "x.md", "X", "", 0.995)
    newer = hit(3, name, title, "2026-01-06T08:00:00+00:00", relevance)
    assert newer_first([older, between, newer])[0].chunk.native_id == first


@pytest.mark.requirement("newer-mail-first-citations-dated")
async def test_what_has_no_readable_date_is_older_than_what_has_one() -> None:
    world = InMemoryWorld()
    for name, dated in (("1.eml", "last spring"), ("2.eml", "2026-02-07"), ("3.eml", "2026-13-40")):
        world.stores.put(world.docs, name, f"The pump runs. ({name})", title="Pump", dated=dated)
    assert [quote.section_id for quote in (await world.quote("pump runs")).quotes] == ["2.eml", "1.eml", "3.eml"]


@pytest.mark.requirement("time-words-order")
async def test_candidates_in_the_order_of_time_are_read_in_it_however_far_they_are() -> None:
    ranking = await InMemoryWorld({"a.md": "valve"}).rank("valve")
    far, near = (
        RankedCandidate(
            number, 1, 1, cosine, Why(1, None, cosine, 0.0, 1.0, cosine, 0.03, shares_words=False, near=cosine > 0.6)
        )
        for number, cosine in ((1, 0.1), (2, 0.9))
    )
    in_order = Ranking((far, near), ranking.allowed, ranking.read_context, in_time=True)
    assert in_reading_order(in_order, 1) == [far, near]


@pytest.mark.requirement("unrelated-filler-never-quoted")
async def test_a_passage_without_a_common_word_is_a_candidate_only_if_nearer_than_chance() -> None:
    world = InMemoryWorld({"a.md": "valve"})
    ranking = await world.rank("valve")

    def candidate(number: int, *, near: bool, shares_words: bool) -> RankedCandidate:
        why = Why(1, None, 0.5, 0.0, 1.0, 0.5, 0.03, shares_words=shares_words, near=near)
        return RankedCandidate(number, 1, 1, 0.5, why)

    found = (
        candidate(1, near=True, shares_words=False),
        candidate(2, near=False, shares_words=False),
        candidate(3, near=False, shares_words=True),
    )
    kept = answering(Ranking(found, ranking.allowed, ranking.read_context))
    assert [each.chunk_id for each in kept] == [1, 3]
    assert not (await world.quote("elephant giraffe zebra")).quotes


async def test_phrasings_take_turns_and_one_phrasing_keeps_the_order() -> None:
    def candidate(number: int, *relevances: float) -> RankedCandidate:
        best = max(relevances, default=0.0)
        return RankedCandidate(number, 1, 1, best, Why(1, 1, best, 1.0, 1.0, best, 0.03, relevances=relevances))

    assert [
        each.chunk_id for each in in_turn([candidate(1, 0.9, 0.1), candidate(2, 0.8, 0.2), candidate(3, 0.1, 0.6)])
    ] == [1, 2, 3]
    assert [each.chunk_id for each in in_turn([candidate(1), candidate(2)])] == [1, 2]


def test_a_model_that_cannot_be_loaded_for_quotes_is_an_error_that_does_not_name_its_file() -> None:
    class Missing:
        def embed_documents(self, texts: Sequence[str]) -> Any:
            raise FileNotFoundError(2, "No such file", "/models/document.onnx")

    near = nearness(["valve"], cast("Embedder", Missing()))
    assert near is not None
    with pytest.raises(BackendUnavailable, match="cannot be loaded") as caught:
        near(["a text"])
    assert "document.onnx" not in caught.value.message


@pytest.mark.requirement("newer-mail-of-a-thread-first")
async def test_a_mail_that_supersedes_another_is_quoted_where_that_would_be() -> None:
    world = InMemoryWorld()
    for name, title, dated, text in (
        ("1.eml", "Kiln price", "2026-01-05", "The kiln price is 45, says the maker of the kiln."),
        (
            "2.eml",
            "Re: Kiln price",
            "2026-01-07",
            "The kiln price went up meanwhile: for all of us it is now 47.",
        ),
    ):
        world.stores.put(world.docs, name, text, title=title, dated=dated)
    assert (await world.quote("kiln price")).quotes[0].section_id == "2.eml"
