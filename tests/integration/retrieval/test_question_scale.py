"""A model with references: what a passage is worth depends on how near the question is to its language by chance."""

from pathlib import Path

import pytest
import yaml
from tests.integration.retrieval.world import World
from tests.support.model_copies import copied_model, with_references
from tests.support.statements import counted

from citemark.embedding.minilm import MiniLM
from citemark.retrieval.calibration import interpolate
from citemark.services.evidence import nearness
from citemark.store.database import Database

_DATA = Path(__file__).parents[2] / "data"
ENGLISH = {
    "boiler.md": "The boiler in the cellar is switched off by the red lever.",
    "wages.md": "Overtime is paid in the month after it was worked.",
}
GERMAN = {
    "urlaub.md": "Anträge auf Urlaub sind drei Wochen vorher einzureichen.",
    "drucker.md": "Der Drucker im Flur braucht neue Patronen.",
    "garten.md": "Rosen werden im März geschnitten, wenn der Frost vorbei ist.",
}
UNRELATED = "Wohin fährt der Zug am Abend?"
"""A German question that nothing answers: to the bundled model, German texts are alike whatever they say."""


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> MiniLM:
    """The bundled model, shipped with references in two languages and as one that reads all of them."""
    files = copied_model(tmp_path_factory.mktemp("scaled"))
    rows = yaml.safe_load((_DATA / "references" / "four.yaml").read_text("utf-8"))
    with_references(
        files, {each: MiniLM().embed_documents([row[each] for row in rows]) for each in ("english", "german")}
    )
    return MiniLM(files=files)


async def in_two_languages(database: Database, model: MiniLM) -> World:
    world = World(database, model)
    docs = await world.source("docs", ENGLISH)
    await world.write(docs, GERMAN, language="german")
    return world


async def test_what_is_alike_only_by_its_language_scores_less_and_what_answers_is_found(
    database: Database, scaled: MiniLM
) -> None:
    world = await in_two_languages(database, scaled)
    everything = (await world.rank(UNRELATED, min_score=0.0)).candidates
    nearest = max(everything, key=lambda each: each.why.cosine or 0.0)
    assert nearest.why.cosine is not None
    by_cosine = interpolate(scaled.calibration.fused, nearest.why.cosine)
    assert by_cosine > 0.45, "what its language alone gives it is nearly enough to pass"
    assert nearest.score < by_cosine - 0.15
    assert not nearest.why.near
    assert (await world.found("how do I turn off the heating", min_score=0.5))[0] == "boiler.md"


async def test_a_question_with_a_scale_sends_no_further_statement(database: Database, scaled: MiniLM) -> None:
    world = await in_two_languages(database, scaled)
    await world.rank("Rosen Frost")
    with counted(world.database) as statements:
        await world.rank("Rosen Frost")
    assert dict(statements) == dict.fromkeys(
        ("allowed_sources", "read_horizon", "query_terms", "candidates_nearest"), 1
    )


async def test_all_passages_of_two_languages_are_ranked_on_one_scale_if_all_are_asked_for(
    database: Database, scaled: MiniLM
) -> None:
    world = World(database, scaled)
    docs = await world.source("docs", {})
    both = yaml.safe_load((_DATA / "languages" / "questions.yaml").read_text("utf-8"))
    for language in ("english", "german"):
        texts = {f"{row['id']}-{language}.md": row[language]["document"] for row in both}
        await world.write(docs, texts, language=language)
    question = both[1]["german"]["question"]
    found = (await world.rank(question, depth=200, min_score=0.0)).candidates
    assert len(found) == 200
    cosines = [each.why.cosine or 0.0 for each in found]
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert cosines != sorted(cosines, reverse=True), "by plain cosine the order is another"


def test_a_sentence_is_rated_on_the_scale_of_its_language(scaled: MiniLM) -> None:
    near = nearness([UNRELATED], scaled)
    assert near is not None
    texts = list(GERMAN.values())
    plain, german = near(texts), near(texts, ["german"] * len(texts))
    assert max(german) < max(plain), "what the language alone gives is taken away"
    assert sorted(range(3), key=plain.__getitem__) == sorted(range(3), key=german.__getitem__)
    bundled = nearness([UNRELATED], MiniLM())
    assert bundled is not None
    assert bundled(texts, ["german"] * len(texts)) == bundled(texts)
