"""A page in one language hides no answer in another one, however that reads the question's names."""

import pytest
from tests.integration.retrieval.world import World

QUESTION = "How often should an aggregator pull data from the MCP Registry?"
ANSWER = "hourly.md"
ENGLISH = {
    ANSWER: "# Aggregators\nAn aggregator should pull data from the Registry once per hour.",
    "publish.md": "# Publishing\nPublish a server to the Registry with the command line tool of MCP.",
    "names.md": "# Namespaces\nThe namespace of a server proves who owns it.",
    "moderation.md": "# Moderation\nMaintainers of the Registry take down what breaks its policy.",
    "clients.md": "# Clients\nA client opens one connection to each server.",
    "tokens.md": "# Tokens\nAccess tokens are short-lived and never written to a log.",
}
GERMAN = {"urlaub.md": "# Urlaub\nMitarbeiter beantragen ihren Urlaub im Kalender, und die Leitung genehmigt ihn."}
FRENCH = {"conges.md": "# Congés\nLes employés demandent leurs congés et la direction les approuve en trois jours."}


@pytest.mark.requirement("names-compared-in-document-language", "foreign-language-page-hides-no-answer")
async def test_a_page_in_another_language_changes_neither_score_nor_notes_of_an_answer(world: World) -> None:
    source = await world.source("docs", ENGLISH)
    before = await world.rank(QUESTION)
    await world.write(source, GERMAN, language="german")
    await world.write(source, FRENCH, language="french")
    after = await world.rank(QUESTION)
    assert (await world.found(QUESTION))[0] == ANSWER
    assert (before.absence.names, after.absence.names) == ((), ())
    assert after.candidates[0].score == pytest.approx(before.candidates[0].score)


@pytest.mark.requirement("names-compared-in-document-language")
async def test_a_name_that_no_page_in_any_language_has_is_still_said_to_be_absent(world: World) -> None:
    source = await world.source("docs", ENGLISH)
    await world.write(source, GERMAN, language="german")
    absence = (await world.rank("Is there an official Haskell Registry?")).absence
    assert absence.names == ("Haskell",)
    assert "official" in absence.words


@pytest.mark.requirement("names-compared-in-document-language")
async def test_a_name_that_occurs_only_on_a_page_in_another_language_is_known(world: World) -> None:
    source = await world.source("docs", ENGLISH)
    await world.write(source, {"handbuch.md": "Den Zähler liest man am Prüfstand der Firma ab."}, language="german")
    assert (await world.rank("Who works at the Prüfstand?")).absence.names == ()


async def test_a_name_is_looked_for_in_the_languages_that_a_question_is_not_read_in(world: World) -> None:
    """More languages than a question is read in: what the smallest of them says is found by vectors alone."""
    source = await world.source("docs", ENGLISH)
    # fmt: off
    for language in ("german", "french", "spanish", "italian", "dutch", "swedish", "danish", "finnish"):
        many = {} if language == "finnish" else {f"{language}-2.md": f"{language} lorem ipsum dolor"}
        name = "Hämäläinen" if language == "finnish" else "sit amet"
        await world.write(source, {f"{language}.md": f"{language} {name}", **many}, language=language)
    # fmt: on
    assert (await world.rank("Which registry is kept by Hämäläinen?")).absence.names == ()
