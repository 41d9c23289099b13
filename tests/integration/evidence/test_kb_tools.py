"""The kb tools over a real index: what a model sees of it, through the protocol."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, TextResourceContents
from tests.integration.retrieval.world import World
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.embedding.minilm import MiniLM
from citemark.evidence.budget import bytes_len, count_tokens
from citemark.model.scope import RequestScope
from citemark.store.database import Database

FILLER = "".join(f"Pump {n} was painted in the year {1900 + n} by a person of the works.\n" for n in range(40))
LONG = f"# Pumps\n{FILLER}\nThe feed pump must be primed with nine litres of water before it starts.\n\n{FILLER}"
PAGES = {f"{word}.md": f"# The {word}\nHow to grease the {word}: use {word} grease, twice a year.\n"
         for word in ("axle", "bolt", "crank", "dial", "engine", "flange", "gear", "hinge")}  # fmt: skip


async def asked(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured content of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


@pytest.mark.requirement(
    "kb-search-hit-fields",
    "kb-search-returns-no-section-text",
    "citation-and-scratch-uri-returned",
    "hits-carry-revision-baseline-and-time",
)
@pytest.mark.requirement("text-never-repeats-json", "responses-repeat-resolved-read-context", "tools-kb-debug")
async def test_a_hit_states_its_place_and_how_it_was_found_with_a_short_preview(world: World) -> None:
    await world.source("docs", {"pumps.md": LONG, **PAGES}, tags=("machines",))
    async with connected(world.services) as client:
        options = {"include_scores": True, "include_debug": True}
        query = "how is the feed pump primed before it starts"
        result = await client.call_tool("kb_search", {"query": query, "options": options})
    page = result.structured_content
    hit = page["results"][0]
    assert (hit["section_id"], hit["anchor"], hit["doc_tag"], hit["rank"]) == ("pumps.md#pumps", "pumps", "machines", 1)
    assert hit["title"].endswith("Pumps")
    assert hit["size_bytes"] == bytes_len(LONG)
    assert hit["source"] in {"hybrid", "vector", "bm25"}
    assert "nine litres" in hit["preview"]
    assert len(hit["preview"]) <= 280
    assert hit["scratch_uri"].endswith(f"{page['session_id']}/{hit['passage_id']}")
    citation = hit["citation"]
    assert (citation["source"], citation["document_id"], citation["baseline_id"]) == ("docs", "pumps.md#pumps", None)
    assert citation["anchor"]["lines"] == {"start": 1, "end": LONG.count("\n")}
    for row in page["results"]:
        assert row["citation"]["revision_id"]
        assert (row["citation"]["baseline_id"], row["citation"]["as_of"]) == (None, page["read_context"]["as_of"])
        assert {"vector_rank", "bm25_rank", "cosine", "bm25", "relevance", "rrf", "graph_path"} <= set(row["why"])
    assert page["read_context"]["baseline_id"] is None
    text = text_of(result)
    assert hit["preview"] in text
    assert not {"{", '":'} & set(text)
    assert '"passage_id"' not in text
    assert FILLER[:400] not in result.model_dump_json()


@pytest.mark.requirement(
    "tools-top-k-total",
    "kb-search-default-hits",
    "tools-kb-min-score",
    "kb-tools-take-min-score",
    "two-hits-per-page-by-default",
)
async def test_top_k_counts_all_pages_and_the_threshold_hides_lower_scores(world: World) -> None:
    await world.source("docs", {**PAGES, "two.md": "# A\nGrease the axle.\n# B\nGrease the axle bolt.\n"})
    async with connected(world.services) as client:
        options = {"include_scores": True, "min_score": 0.0}
        whole = await asked(client, "kb_search", query="grease the axle", options=options)
        assert len(whole["results"]) == 5
        pages = [hit["section_id"].partition("#")[0] for hit in whole["results"]]
        assert pages.count("two.md") == 2, "two passages of a page are shown, unless fewer or more are asked for"
        single = await asked(client, "kb_search", query="grease the axle", options={**options, "max_per_doc": 1})
        assert len({hit["section_id"].partition("#")[0] for hit in single["results"]}) == 5
        seen: list[int] = []
        cursor: str | None = None
        while True:
            arguments = {"query": "grease the axle", "top_k": 7, "page_size": 3, "cursor": cursor, "options": options}
            page = await asked(client, "kb_search", **arguments)
            seen += [hit["rank"] for hit in page["results"]]
            cursor = page["next_cursor"]
            assert (page["partial"], page["limit_reason"]) == ((True, "page_size") if cursor else (False, "none"))
            if cursor is None:
                break
        assert seen == [1, 2, 3, 4, 5, 6, 7]
        border = whole["results"][2]["score"]
        above = await asked(client, "kb_search", query="grease the axle", options={**options, "min_score": border})
        assert {hit["score"] >= border for hit in above["results"]} == {True}
        assert len(above["results"]) < 5
        nothing = await asked(client, "kb_search", query="lunar orbit insertion burn of a spacecraft")
    assert nothing["results"] == []


@pytest.mark.requirement("tools-kb-auto-mode", "tools-kb-vector-only-text")
async def test_without_a_graph_every_mode_asks_both_vectors_and_words(world: World) -> None:
    source = await world.source("docs", PAGES)
    await world.write(source, {"new.md": "The sprocket XK-77 has no vector yet."}, embedded=False)
    found: list[list[tuple[str, str]]] = []
    async with connected(world.services) as client:
        for mode in ("auto", "vector_only", "hybrid_local"):
            page = await asked(client, "kb_search", query="sprocket XK-77", options={"mode": mode, "min_score": 0})
            found.append([(hit["section_id"], hit["source"]) for hit in page["results"]])
    assert found[0][0] == ("new.md", "bm25")
    assert {origin for _, origin in found[0]} > {"bm25"}
    assert found[0] == found[1] == found[2]


@pytest.mark.requirement(
    "foreign-project-is-a-scope-violation", "every-query-tool-enforces-a-scope", "default-scope-comes-from-settings"
)
async def test_scope_is_enforced_on_every_tool_and_its_default_is_the_servers(
    database: Database, model: MiniLM
) -> None:
    world = World(database, model, defaults=RequestScope("default", environment="prod"))
    await world.source("prod", {"a.md": "# Axle\nGrease the axle twice.\n"}, environment="prod")
    await world.source("test", {"b.md": "# Axle\nGrease the axle thrice.\n"}, environment="test")
    async with connected(world.services) as client:

        async def sources(**scope: Any) -> set[str]:
            arguments = {"query": "grease the axle", **({"scope": scope} if scope else {})}
            return {hit["citation"]["source"] for hit in (await asked(client, "kb_search", **arguments))["results"]}

        assert await sources() == {"prod"}
        assert await sources(environment="test") == {"test"}
        assert await sources(project_id="default", environment="prod") == {"prod"}
        quotes = await asked(client, "kb_retrieve_evidence", question="grease axle", scope={"environment": "test"})
        assert {quote["citation"]["source"] for quote in quotes["quotes"]} == {"test"}
        handle = quotes["quotes"][0]["passage_id"]
        calls: Mapping[str, dict[str, Any]] = {
            "kb_search": {"query": "axle"},
            "kb_retrieve_evidence": {"question": "axle"},
            "kb_extract_evidence": {"question": "axle", "passage_ids": [handle]},
            "kb_read_excerpt": {"passage_id": handle},
            "kb_expand_excerpt": {"passage_id": handle},
        }
        for tool, arguments in calls.items():
            wrong = await client.call_tool(tool, {**arguments, "scope": {"project_id": "theirs"}})
            assert code_of(wrong) == "SCOPE_VIOLATION"
            assert "project_id" in text_of(wrong)
            if "passage" in str(arguments):
                inside = await client.call_tool(tool, {**arguments, "scope": {"environment": "test"}})
                assert not inside.is_error, inside
                assert code_of(await client.call_tool(tool, arguments)) == "SCOPE_VIOLATION"
        elsewhere = await asked(client, "kb_search", query="axle", scope={"environment": "test"})
        with pytest.raises(MCPError, match="SCOPE_VIOLATION") as caught:
            await client.read_resource(elsewhere["results"][0]["scratch_uri"])
        assert caught.value.error.code == INVALID_PARAMS


@pytest.mark.requirement(
    "read-excerpt-default-and-caps", "scratch-text-reachable-by-tools", "reading-on-covers-a-passage-once"
)
async def test_a_passage_is_read_on_in_bounded_pieces_to_the_words_of_its_resource(world: World) -> None:
    await world.source("docs", {"pumps.md": LONG})
    async with connected(world.services) as client:
        query = "how is the feed pump primed before it starts"
        hit = (await asked(client, "kb_search", query=query))["results"][0]
        whole = (await client.read_resource(hit["scratch_uri"])).contents[0]
        assert isinstance(whole, TextResourceContents)
        pieces: list[str] = []
        at: int | None = 0
        while at is not None:
            piece = await asked(client, "kb_read_excerpt", passage_id=hit["passage_id"], start_char=at)
            assert count_tokens(piece["excerpt"]) <= 300
            assert piece["limit_reason"] == ("none" if piece["next_start_char"] is None else "token_cap")
            assert piece["partial"] is (piece["next_start_char"] is not None)
            pieces.append(piece["excerpt"])
            at = piece["next_start_char"]
        most = await asked(client, "kb_read_excerpt", passage_id=hit["passage_id"], max_tokens=800)
        assert 700 < count_tokens(most["excerpt"]) <= 800
    assert len(pieces) > 3
    assert "".join(pieces) == whole.text == LONG


@pytest.mark.requirement("expand-excerpt-default-growth", "tools-kb-expand-best-span", "tools-kb-expand-crosses")
async def test_an_expansion_grows_from_the_best_span_over_the_borders_of_its_passage(world: World) -> None:
    sections = {
        n: f"# Part {n}\nThe text of part {n} speaks of nothing much, {n} times, and then ends.\n" for n in range(30)
    }
    sections[15] = "# Priming\nThe feed pump is primed with nine litres of water.\n"
    body = "".join(sections.values())
    await world.source("docs", {"pumps.md": body})
    async with connected(world.services) as client:
        query = "with how much water is the feed pump primed"
        hit = (await asked(client, "kb_search", query=query))["results"][0]
        assert hit["section_id"] == "pumps.md#priming"
        bare = await asked(client, "kb_expand_excerpt", passage_id=hit["passage_id"], before_tokens=0, after_tokens=0)
        assert "nine litres of water." in bare["excerpt"]
        assert "part" not in bare["excerpt"]
        wide = await asked(client, "kb_expand_excerpt", passage_id=hit["passage_id"])
    assert wide["offsets_of"] == "revision"
    assert body[wide["start_char"] :].startswith(wide["excerpt"])
    assert "# Part 14" in wide["excerpt"]
    assert "# Part 16" in wide["excerpt"]
    assert 0 < wide["start_char"] < bare["start_char"]
    assert count_tokens(wide["excerpt"]) <= count_tokens(bare["excerpt"]) + 300
    assert wide["start_char"] + len(wide["excerpt"]) < len(body)


@pytest.mark.requirement("excerpts-go-on-beyond-a-passage")
async def test_reading_goes_on_through_the_document_passage_by_passage_to_its_end(world: World) -> None:
    sections = [f"# Part {n}\nThe text of part {n} speaks of nothing much, {n} times, and then ends." for n in range(6)]
    sections[2] = f"# Priming\nThe feed pump is primed with nine litres of water.\n{FILLER.strip()}"
    await world.source("docs", {"pumps.md": "\n\n".join(sections), **PAGES})
    async with connected(world.services) as client:
        query = "with how much water is the feed pump primed"
        hit = (await asked(client, "kb_search", query=query))["results"][0]
        result = await client.call_tool("kb_read_excerpt", {"passage_id": hit["passage_id"], "max_tokens": 60})
        said, piece, pieces = text_of(result), result.structured_content, list[str]()
        assert piece["next_passage_id"] == hit["passage_id"]
        assert f"passage_id {hit['passage_id']}, start_char {piece['next_start_char']}" in said
        pieces.append(piece["excerpt"])
        while piece["next_passage_id"]:
            onward: dict[str, Any] = {"passage_id": piece["next_passage_id"]}
            if piece["next_start_char"] is not None:
                onward["start_char"] = piece["next_start_char"]
            onward["max_tokens"] = 60
            result = await client.call_tool("kb_read_excerpt", onward)
            said, piece = text_of(result), result.structured_content
            pieces.append(piece["excerpt"])
            if piece["next_passage_id"] not in {None, onward["passage_id"]}:
                assert 'The document goes on in "pumps.md > Part ' in said
                assert piece["next_passage_id"] in said
        assert "The document ends here." in said
    read = "".join(pieces)
    assert read.split() == "\n\n".join(sections[2:]).split()


@pytest.mark.requirement("excerpts-read-on")
async def test_one_call_reads_on_over_passages_until_its_budget_or_the_end_of_the_document(world: World) -> None:
    sections = [f"# Part {n}\n\n- Item {n} of the list speaks of nothing much.\n" for n in range(9)]
    sections[2] = "# Priming\n\nThe feed pump is primed with nine litres of water.\n"
    body = "\n".join(sections)
    await world.source("docs", {"pumps.md": body, **PAGES})
    async with connected(world.services) as client:
        query = "with how much water is the feed pump primed"
        hit = (await asked(client, "kb_search", query=query))["results"][0]
        passage = {"passage_id": hit["passage_id"]}
        whole = await asked(client, "kb_read_excerpt", max_tokens=800, **passage)
        assert whole["excerpt"].strip() == "\n".join(sections[2:]).strip()
        assert (whole["next_passage_id"], whole["limit_reason"]) == (None, "none")
        chars = whole["citation"]["anchor"]["chars"]
        assert body[chars["start"] : chars["end"]] == whole["excerpt"]
        part = await asked(client, "kb_read_excerpt", max_tokens=50, **passage)
        assert count_tokens(part["excerpt"]) <= 50 < count_tokens(whole["excerpt"])
        assert "# Part 4" in part["excerpt"]
        assert part["limit_reason"] == "token_cap"
        onward = {"passage_id": part["next_passage_id"], "start_char": part["next_start_char"] or 0}
        rest = await asked(client, "kb_read_excerpt", max_tokens=800, **onward)
        assert (part["excerpt"] + rest["excerpt"]).split() == whole["excerpt"].split()
        listed = await asked(client, "kb_read_excerpt", max_tokens=800, options={"format": "bullets"}, **passage)
    assert "# Part 3\n- Item 3 of the list speaks of nothing much.\n# Part 4\n" in listed["excerpt"]


@pytest.mark.requirement("nc-hits-carry-passage-ids")
async def test_an_expansion_says_where_to_read_on_so_that_no_character_is_lost_or_read_twice(world: World) -> None:
    sections = {n: f"# Part {n}\nThis part speaks of nothing much, {n} times, and then ends.\n" for n in range(9)}
    sections[4] = "# Priming\nThe feed pump is primed with nine litres of water. It is rinsed after that.\n"
    body = "".join(sections.values())
    await world.source("docs", {"pumps.md": body})
    async with connected(world.services) as client:
        hit = (await asked(client, "kb_search", query="with how much water is the feed pump primed"))["results"][0]
        for after in (0, 5, 10, 25, 60, 800):
            around = {"passage_id": hit["passage_id"], "before_tokens": 9, "after_tokens": after}
            wide = await asked(client, "kb_expand_excerpt", **around)
            read, piece = wide["excerpt"], wide
            while piece["next_passage_id"]:
                onward = {"passage_id": piece["next_passage_id"], "start_char": piece["next_start_char"] or 0}
                piece = await asked(client, "kb_read_excerpt", **onward)
                read += "\n" + piece["excerpt"]
            assert "".join(read.split()) == "".join(body[wide["start_char"] :].split())


@pytest.mark.requirement(
    "retrieve-evidence-in-one-call",
    "evidence-default-quotes-and-tokens",
    "quote-fields",
    "evidence-tools-return-only-quotes",
)
async def test_one_call_quotes_from_the_five_best_pages_within_its_limits(world: World) -> None:
    texts = {name: text + "\n\n" + FILLER for name, text in PAGES.items()}
    await world.source("docs", texts)
    async with connected(world.services, min_score=0.0) as client:
        found = await asked(client, "kb_retrieve_evidence", question="How often do I grease the axle, bolt and gear?")
        assert 0 < len(found["quotes"]) <= 6
        assert len({quote["citation"]["document_id"] for quote in found["quotes"]}) <= 5
        again = await asked(
            client,
            "kb_extract_evidence",
            question="How often do I grease the axle, bolt and gear?",
            passage_ids=[quote["passage_id"] for quote in found["quotes"]],
        )
    assert sum(bytes_len(quote["quote"]) for quote in found["quotes"]) <= 2_000
    for quote in again["quotes"]:
        assert count_tokens(quote["quote"]) <= 80
        assert quote["uri"] == f"citemark://scratch/{again['session_id']}/{quote['passage_id']}"
        assert quote["section_id"] == quote["citation"]["document_id"]
    for quote in [*found["quotes"], *again["quotes"]]:
        assert 0 <= quote["confidence"] <= 1
        page = texts[quote["citation"]["document_id"].partition("#")[0]]
        span = quote["citation"]["span"]
        assert page[span["start"] : span["end"]] == quote["quote"]
    assert found["usage"]["bytes_returned"] < 12_000


@pytest.mark.requirement("scope-enforced-on-scratch-reads", "passage-authorised-at-each-use")
async def test_the_resource_of_a_passage_closes_with_its_grant(world: World) -> None:
    await world.source("docs", PAGES)
    async with connected(world.services) as client:
        hit = (await asked(client, "kb_search", query="grease the axle"))["results"][0]
        assert (await client.read_resource(hit["scratch_uri"])).contents
        await world.index.rows("DELETE FROM source_grant")
        with pytest.raises(MCPError) as caught:
            await client.read_resource(hit["scratch_uri"])
    assert "grease" not in str(caught.value)


@pytest.mark.requirement("rrf-only-keeps-rank-order")
async def test_the_order_of_ranks_can_be_kept_by_a_setting(database: Database, model: MiniLM) -> None:
    world = World(database, model, rrf_only=True)
    await world.source("docs", PAGES)
    candidates = (await world.rank("grease the axle and the bolt", max_per_doc=5)).candidates
    fused = [candidate.why.rrf for candidate in candidates]
    assert len(candidates) == len(PAGES)
    assert fused == sorted(fused, reverse=True)
    assert max(candidate.score for candidate in candidates) > 1 / 30


@pytest.mark.requirement("legs-run-at-the-same-time")
async def test_words_are_searched_while_the_question_is_embedded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.source("docs", PAGES)
    candidates = world.pipeline._candidates  # pyright: ignore[reportPrivateUsage]
    embed, sparse = world.model.embed_queries, candidates.sparse_hits
    both = threading.Barrier(2)

    def met_embed(texts: Sequence[str]) -> Any:
        both.wait(20)
        return embed(texts)

    async def met_sparse(*arguments: Any) -> Any:
        await asyncio.to_thread(both.wait, 20)
        return await sparse(*arguments)

    monkeypatch.setattr(world.model, "embed_queries", met_embed)
    monkeypatch.setattr(candidates, "sparse_hits", met_sparse)
    assert (await world.found("grease the axle"))[0] == "axle.md"
