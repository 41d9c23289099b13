"""The one search: limits are settled before it ranks, a page is verified, and an empty one says why."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.in_memory_services import ME, InMemoryWorld

from citemark.model.documents import Verdict
from citemark.model.errors import ScopeViolation
from citemark.model.scope import RequestScope
from citemark.retrieval.question import Question, RankedCandidate, Ranking
from citemark.services.question_search import Found, SearchSpec, offered

SOURCE = Path(__file__).resolve().parents[3] / "src/citemark"
TEXTS = {"valves.md": "The relief valve opens at nine bar.", "pumps.md": "A pump has a valve too."}


def asked(query: str, size: int = 5, **fields: object) -> SearchSpec:
    return SearchSpec(Question(ME.principal, query, **fields), size)  # type: ignore[arg-type]


def names(found: Found) -> list[str]:
    return [hit.chunk.native_id for hit in found.page.hits]


@pytest.mark.requirement("one-search")
def test_every_service_but_those_of_models_ranks_with_the_one_search() -> None:
    """Models are searched within the models that a call may see; `full_ranking` measures the ranking itself."""
    ranking = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("services/**/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "rank" and ast.unparse(node.value).endswith("pipeline")
    }
    assert ranking == {
        "services/question_search.py",
        "services/full_ranking.py",
        "features/archimate/services/search.py",
        "features/archimate/services/context.py",
    }


@pytest.mark.requirement("one-search")
async def test_a_search_settles_its_limits_ranks_and_verifies_a_page() -> None:
    world = InMemoryWorld(TEXTS)
    found = await world.one_search.run(ME, asked("relief valve", size=1))
    assert names(found) == ["valves.md"]
    assert found.question.scope.project_id == "default"
    assert (len(found.candidates), found.page.next_start) == (2, 1)
    (offer,) = await offered(world.handles, ME, found)
    assert offer.passage_id.startswith("p_")
    assert offer.found_by == "relief valve"
    with pytest.raises(ScopeViolation):
        await world.one_search.run(ME, asked("valve", scope=RequestScope(project_id="another")))


@pytest.mark.requirement("one-search")
async def test_candidates_are_verified_in_the_order_that_is_asked_for() -> None:
    world = InMemoryWorld(TEXTS)

    def backwards(ranking: Ranking) -> Sequence[RankedCandidate]:
        return ranking.candidates[::-1]

    spec = replace(asked("relief valve", size=1), order=backwards)
    assert names(await world.one_search.run(ME, spec)) == ["pumps.md"]


@pytest.mark.requirement("one-search")
async def test_a_kept_ranking_goes_on_where_it_was_and_nothing_found_says_why() -> None:
    world = InMemoryWorld(TEXTS)
    spec = asked("relief valve", size=1)
    first = await world.one_search.run(ME, spec)
    question, ranking = await world.one_search.reopened(ME, spec.question, first.candidates)
    assert question.scope.project_id == "default"
    assert names(await world.one_search.page(ME, spec, ranking, start=first.page.next_start or 0)) == ["pumps.md"]
    world.told.verdicts = dict.fromkeys(TEXTS, Verdict.UNKNOWN)
    withheld = await world.one_search.run(ME, spec)
    empty = await world.one_search.explain_empty(withheld)
    assert (withheld.page.hits, empty.reason) == ((), "all_withheld")
    meta = withheld.meta(ME, empty=empty, notes=("a note",), cursor="more")
    assert (meta.withheld_unverified, meta.limit_reason, meta.next_cursor) == (2, "page_size", "more")
    assert "a note" in meta.notes
