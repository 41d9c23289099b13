"""The pages that measure: a hit is kept as an answer, the questions are asked, and two evaluations compared."""

from pathlib import Path

import pytest
from tests.integration.web.conftest import MANUAL, model_indexed, modelled
from tests.integration.web.test_pages import links, secret_of, twin
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App
from citemark.evaluation.comparison import FIGURES

QUESTION = "How often is the axle greased?"


@pytest.mark.requirement("page-evaluate")
async def test_a_hit_is_kept_as_the_answer_the_questions_are_asked_and_two_runs_compared(
    app: App, folder: Path
) -> None:
    pages = pages_over(app)
    async with browsing(pages, OWNER) as client:
        html = (await client.get(f"/search?q={QUESTION}")).text
        keep = next(link for link in links(html) if link.startswith("/evaluate?q="))
        form = (await twin(client, keep))["keeping"]
        assert (form["q"], form["title"]) == (QUESTION, "Care")
        assert "Grease the axle" in form["answer"]
        secret = secret_of((await client.get(keep)).text)
        given = {name: form[name] for name in ("q", "source", "document", "revision", "start", "end")}
        given |= {"csrf": secret, "kind": "care"}
        refused = await client.post("/keep_question", data={**given, "answer": "thrice a year"})
        assert (refused.status_code, "words of the document" in refused.text) == (400, True)
        kept = await client.post("/keep_question", data={**given, "answer": "twice a year"})
        assert (kept.status_code, kept.headers["location"]) == (303, "/evaluate")
        assert (await client.post("/keep_question", data={"csrf": secret, "answer": "x"})).status_code == 400
        await client.post("/keep_question", data={"csrf": secret, "q": "Where may visitors park?", "nothing": "1"})

        for _ in range(2):
            started = await client.post("/run_questions", data={"csrf": secret, "set": "documents"})
            assert started.headers["location"] == "/evaluate"
            assert (await twin(client, "/evaluate"))["running"] is not None
            await pages.work.finished()
            (folder / "pump.md").write_text(MANUAL.replace("twice a year", "once a month"), "utf-8")
            await app.sync(await app.local_sources())
        page = await twin(client, "/evaluate")
        documents = page["sets"][0]
        assert [(each["kind"], each["expected"]) for each in documents["questions"]] == [
            ("care", ["pump.md"]),
            ("unanswerable", []),
        ]
        assert (page["running"], page["failed"], len(documents["runs"])) == (None, "", 2)
        after, before = (run["name"] for run in documents["runs"])
        compared = await twin(client, f"/report?run={after}&against={before}")
        figures = {each["figure"]: (each["before"], each["now"]) for each in compared["figures"]}
        assert figures.keys() == set(FIGURES)
        assert figures["evidence_hit_at_5"] == (1.0, 0.0)
        assert [each["question"] for each in compared["comparison"]["lost"]] == [QUESTION]
        assert compared["misses"][0]["why"] == "The document is shown; the answer is not among the quotes."
        html = (await client.get(f"/report?run={after}&against={before}")).text
        assert html.count("<svg") >= 3
        assert "1 lost of 1" in html
        first = await twin(client, f"/report?run={before}")
        assert (first["comparison"], first["misses"]) == (None, [])
        assert (await twin(client, "/report?run=none"))["status"] == 400
        assert "What is kept" in (await client.get("/evaluate")).text


@pytest.mark.requirement("page-evaluate")
async def test_questions_about_elements_are_kept_and_asked_apart(app: App, tmp_path: Path) -> None:
    await model_indexed(app, modelled(tmp_path, 3))
    pages = pages_over(app)
    async with browsing(pages, OWNER) as client:
        secret = secret_of((await client.get("/search")).text)
        empty = await client.post("/run_questions", data={"csrf": secret, "set": "elements"})
        assert (empty.status_code, "No question is kept" in empty.text) == (400, True)
        given = {"q": "What opens the gate?", "source": "estate", "document": "gate", "answer": "Opens the gate"}
        assert (await client.post("/keep_question", data={**given, "csrf": secret})).status_code == 303
        await client.post("/run_questions", data={"csrf": secret, "set": "elements"})
        await pages.work.finished()
        _, elements = (await twin(client, "/evaluate"))["sets"]
        assert elements["questions"][0]["expected"] == ["<b>Gate</b> control"]
        assert (await twin(client, elements["runs"][0]["open"]))["questions"] == 1
        by_hand(elements["file"])
        assert (await twin(client, "/evaluate"))["status"] == 400


def by_hand(file: str) -> None:
    """Break a file as its owner could."""
    Path(file).write_text("- question: broken", "utf-8")
