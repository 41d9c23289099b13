"""The pages and their JSON twins over a real index: search, read, verify, ask, sources, and who may."""

import json
import os
import re
from dataclasses import dataclass, replace
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from tests.integration.web.conftest import MANUAL, modelled, written
from tests.support.issuer import Issuer
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App
from citemark.model.errors import BackendUnavailable, CitemarkError, FatalSourceError
from citemark.model.source_labels import SourceLabels
from citemark.model.sources import NewSource
from citemark.services.bundle import Services
from citemark.web.event_stream import Streams
from citemark.web.rendering import POLICY

QUESTION = "How often is the axle greased?"


async def twin(client: httpx2.AsyncClient, path: str) -> dict[str, Any]:
    name, _, query = path.partition("?")
    answer = await client.get(f"{name}.json?{query}")
    assert answer.headers["content-type"] == "application/json"
    return {"status": answer.status_code, **answer.json()}


def links(html: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="([^"]+)"', html)]


def secret_of(html: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', html)
    assert found is not None
    return found[1]


@pytest.mark.requirement("page-search")
@pytest.mark.requirement("page-json-twins")
async def test_a_question_is_searched_read_and_verified(app: App, folder: Path) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        path = f"/search?q={QUESTION}&source=manual&tag=pumps&path=pump"
        found = await twin(client, path)
        hit = found["hits"][0]
        assert hit["trail"] == ["The pump", "Care"]
        assert [hit["preview"][start:end] for start, end in hit["evidence"]] == ["axle"]
        assert {"Rank by words", "Rank by meaning", "Score", "Phrasing"} <= {name for name, _ in hit["why"]}
        assert found["found"]["sure"] or found["found"]["told"]
        assert hit["file"] == str(folder / "pump.md")
        html = (await client.get(path)).text
        assert "<mark>axle</mark>" in html
        assert 'value="pump"' in html  # the limits stay in the form
        assert f"{hit['open']}#cited" in links(html)

        read = await twin(client, hit["open"])
        assert (read["path"], read["superseded"]) == ("pump.md", False)
        assert "Grease the axle" in read["quote"]
        assert read["text"] == MANUAL
        assert [each["title"] for each in read["outline"]] == ["The pump", "Care"]
        html = (await client.get(hit["open"])).text
        assert html.count('id="cited"') == 1
        assert "/document?source=manual&document=limits.md" in links(html)

        verdict = await twin(client, read["verify"])
        assert (verdict["holds"], verdict["sentence"]) == (
            "exact",
            "These words still stand in the document, exactly where they were cited.",
        )


def counts_of(page: dict[str, Any], name: str) -> dict[str, int]:
    (limit,) = [each for each in page["limits"] if each["name"] == name]
    return {each["shown"]: each["documents"] for each in limit["values"]}


@pytest.mark.requirement("page-filters")
async def test_a_search_is_limited_by_counted_values_and_each_count_is_what_its_choice_leaves(
    app: App, folder: Path
) -> None:
    german = (
        "---\ntags: [garten]\n---\n# Die Pumpe\n\nDie Pumpe im Garten wird im Herbst entleert und im Haus gelagert.\n"
    )
    (folder / "pumpe.md").write_text(german, "utf-8")
    other = folder.parent / "other"
    other.mkdir()
    (other / "pump.md").write_text(
        "---\ntags: [loud]\n---\n# Another pump\n\nThis pump of the garden is loud.\n", "utf-8"
    )
    added = await app.sources.add(NewSource("other", "docs", {"root": str(other)}, labels=SourceLabels(("noise",))))
    for name, day in ((folder / "pumpe.md", "2024-01-01T00:00"), (other / "pump.md", "2025-12-31T23:59")):
        seconds = datetime.fromisoformat(day + "+00:00").timestamp()
        os.utime(name, (seconds, seconds))
    await app.sync({source.source_id: source for source in await app.sources.all()})
    async with browsing(pages_over(app), OWNER) as client:
        every = await twin(client, "/search?q=pump")
        assert counts_of(every, "source") == {"manual": 6, "other": 1}
        assert counts_of(every, "tag") == {"pumps": 6, "noise": 1}
        assert counts_of(every, "kind") == {"Page": 7}
        assert counts_of(every, "language")["German"] == 1
        assert counts_of(every, "label") == {"garten": 1, "loud": 1}
        years = counts_of(every, "year")
        assert (list(years)[1:], years["2024"], years["2025"]) == (["2025", "2024"], 1, 1)
        for limit in every["limits"]:
            for each in limit["values"]:
                # What is chosen is found, as many documents as were counted, and its own list of counts stays.
                chosen = await twin(client, f"/search?q=pump&{urlencode({limit['name']: each['value']})}")
                assert counts_of(chosen, limit["name"]) == counts_of(every, limit["name"])
                others = [counts_of(chosen, name) for name in ("source", "kind") if name != limit["name"]]
                assert {sum(counts.values()) for counts in others} == {each["documents"]}
                documents = {hit["citation"]["document_id"].partition("#")[0] for hit in chosen["hits"]}
                assert len(documents) <= each["documents"]
        both = await twin(client, "/search?q=pump&label=loud&year=2024")
        assert (both["hits"], counts_of(both, "label"), counts_of(both, "year")) == (
            [],
            {"garten": 1, "loud": 0},
            {"2025": 1, "2024": 0},
        )
        day = await twin(client, "/search?q=Pumpe&year=2024&after=2024-01-01&before=2024-01-01")
        assert {hit["citation"]["document_id"].partition("#")[0] for hit in day["hits"]} == {"pumpe.md"}
        for wrong in ("year=soon", "year=0", "year=9999", "year=00012345", "before=9999-12-31", "after=0001-01-01"):
            assert (await twin(client, f"/search?q=pump&{wrong}"))["status"] == 400
        headers = {"hx-request": "true", "hx-target": "results"}
        assert "<select" not in (await client.get("/search?q=pump", headers=headers)).text
        headers = {"hx-request": "true", "hx-target": "found"}
        assert '<option value="2024" selected>2024 (1)' in (await client.get("/search?year=2024", headers=headers)).text
        for source in (added, await app.sources.named("manual")):
            await app.sources.remove(source)
        assert (await twin(client, "/search"))["limits"] == []
        assert "Nothing is indexed yet" in (await client.get("/search")).text


@pytest.mark.requirement("page-fragments")
async def test_a_fragment_is_the_block_of_the_full_page(app: App) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        whole = (await client.get("/search", params={"q": "pump"})).text
        headers = {"hx-request": "true", "hx-target": "results"}
        part = (await client.get("/search", params={"q": "pump"}, headers=headers)).text
        assert part.startswith('<section id="results"')
        # Each search has a moment of its own, which citations name.
        assert _timeless(part) in _timeless(whole)


def _timeless(html: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "", html)


@pytest.mark.requirement("read-at-cited-span")
@pytest.mark.requirement("page-revisions")
async def test_a_citation_opens_in_the_text_that_it_had(app: App, folder: Path) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        hit = (await twin(client, f"/search?q={QUESTION}"))["hits"][0]
        read = await twin(client, hit["open"])
        (folder / "pump.md").write_text(MANUAL.replace("twice a year", "once a month"), "utf-8")
        await app.sync(await app.local_sources())
        past = await twin(client, hit["open"])
        assert (past["text"], past["superseded"]) == (MANUAL, True)
        assert "Open it as it is now" in (await client.get(hit["open"])).text
        assert "once a month" in (await twin(client, past["newest"]))["text"]
        newer, older = past["revisions"]
        assert [each["shown"] for each in (newer, older)] == [False, True]
        assert (await twin(client, older["open"]))["text"] == MANUAL
        changes = await twin(client, newer["changes"])
        (place,) = changes["places"]
        assert ("twice a year" in place["before"]["text"], "once a month" in place["after"]["text"]) == (True, True)
        html = (await client.get(newer["changes"])).text
        assert html.count("<pre") == 2
        same = newer["changes"].replace(f"after={newer['revision']}", f"after={older['revision']}")
        assert "They say the same" in (await client.get(same)).text
        assert "what it changed" in (await client.get(hit["open"])).text
        verdict = await twin(client, read["verify"])
        assert verdict["holds"] == "changed"
        assert verdict["cited_revision"] == "superseded"
        (folder / "pump.md").unlink()
        (folder / "other.md").write_text("# Other\n\nSomething else.\n", "utf-8")
        for _ in range(2):
            await app.sync(await app.local_sources())
        assert (await twin(client, hit["open"]))["text"] == MANUAL


@pytest.mark.requirement("page-ask")
async def test_an_answer_has_footnotes_that_hold_their_quotes(app: App) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        asked = await twin(client, f"/ask?q={QUESTION}")
        answer = asked["answer"]
        assert answer["written_by"] == "Quoted from the documents; no model wrote this."
        assert "twice a year" in " ".join(each["text"] for each in answer["sentences"])
        numbers = {note["number"] for note in answer["footnotes"]}
        assert {number for each in answer["sentences"] for number in each["cites"]} <= numbers
        html = (await client.get(f"/ask?q={QUESTION}")).text
        assert 'href="#note-1"' in html
        assert 'id="note-1"' in html
        assert (await twin(client, "/ask?q="))["answer"] is None


@pytest.mark.requirement("page-ask-streams")
async def test_an_answer_that_is_read_along_ends_as_the_block_of_its_page(app: App) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        answer = await client.get(f"/ask.events?q={QUESTION}")
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["content-security-policy"] == POLICY
        name, data = answer.text.strip().split("\n")
        assert name == "event: answer"
        block = json.loads(data.removeprefix("data: "))
        assert 'id="note-1"' in block
        assert "<main" not in block
        failed = await client.get("/ask.events", params={"q": QUESTION, "as_of": "never"})
        assert failed.text.startswith("event: failed")
        assert (await client.get("/search.events?q=axle")).status_code == 404
    async with browsing(pages_over(app)) as stranger:
        assert (await stranger.get(f"/ask.events?q={QUESTION}")).status_code == 401


@pytest.mark.requirement("features-are-contributions")
async def test_a_page_that_no_feature_adds_is_neither_there_nor_linked(app: App) -> None:
    whole, bare = pages_over(app), replace(pages_over(app), added=())
    async with browsing(whole, OWNER) as client:
        assert "/ask" in links((await client.get("/search")).text)
    async with browsing(bare, OWNER) as client:
        assert "/ask" not in links((await client.get("/search")).text)
        assert (await client.get("/ask?q=axle")).status_code == 404


@pytest.mark.requirement("page-says-what-is-missing")
async def test_nothing_found_says_why_and_what_is_wrong_says_what_to_do(app: App) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        nothing = await twin(client, "/search?q=pump&path=nowhere/")
        assert nothing["status"] == 400
        assert "nowhere/" in nothing["message"]
        assert (await twin(client, "/search?q=pump&after=soon"))["message"].startswith("'soon' is not a day")
        assert (await twin(client, "/search?q=pump&as_of=soon"))["status"] == 400
        empty = await twin(client, "/search?q=pump&before=2001-01-01")
        assert empty["hits"] == []
        assert empty["found"]["empty"]
        five = "&also=" + "%0A".join("abcde")
        assert "at most 4" in (await twin(client, f"/search?q=pump{five}"))["message"]
        assert (await twin(client, f"/search?q=pump&also={'a' * 400}"))["status"] == 400
        assert (await twin(client, f"/search?q={'a' * 9000}"))["status"] == 400
        assert (await twin(client, "/search?q=pump&cursor=x"))["status"] in {400, 410}
        assert (await twin(client, "/document?source=manual"))["status"] == 400
        assert (await twin(client, "/document?source=manual&document=none.md"))["status"] == 404
        assert (await twin(client, "/verify?source=manual&document=pump.md"))["status"] == 400
        gone = await twin(client, "/verify?source=manual&document=none.md&quote=x")
        assert gone["sentence"] == "The document is gone."
        words = await twin(client, "/verify?source=manual&document=pump.md&quote=purple+elephants+dance")
        assert words["sentence"] == "The document is still there, and these words are gone from it."
        assert "Not Found" in (await client.get("/document?source=manual&document=none.md")).text


@pytest.mark.requirement("page-sources", "sources-carry-a-note")
async def test_the_owner_adds_reads_again_and_removes_a_folder(app: App, tmp_path: Path) -> None:
    pages = pages_over(app)
    more = written(tmp_path / "more notes")
    async with browsing(pages, OWNER) as client:
        secret = secret_of((await client.get("/sources")).text)
        given = {"csrf": secret, "folder": str(more), "tags": "new, odd", "about": " What else\nwas noted. "}
        answer = await client.post("/add_folder", data=given)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sources")
        await pages.work.finished()
        listed = {each["name"]: each for each in (await twin(client, "/sources"))["sources"]}
        assert listed["more notes"]["documents"] == 5
        assert listed["more notes"]["tags"] == ["new", "odd"]
        assert listed["more notes"]["state"] == "up to date"
        assert listed["more notes"]["about"] == "What else was noted."
        assert "What else was noted." in (await client.get("/sources")).text
        assert "is already the source" in (await client.post("/add_folder", data=given)).text
        for wrong in ("", str(more / "pump.md"), "~nobody-has-this-name/x", "a\0b"):
            assert (await client.post("/add_folder", data={**given, "folder": wrong})).status_code == 400
        (more / "late.md").write_text("# Late\n\nA late document.\n", "utf-8")
        await client.post("/scan_source", data={"csrf": secret, "name": "more notes"})
        await pages.work.finished()
        listed = {each["name"]: each for each in (await twin(client, "/sources"))["sources"]}
        assert listed["more notes"]["documents"] == 6
        await client.post("/tag_source", data={"csrf": secret, "name": "more notes", "tags": "odd, rare ,odd"})
        page = await twin(client, listed["more notes"]["change"])
        assert page["tags"] == ["odd", "rare"]
        described = {"csrf": secret, "name": "more notes"}
        refused = await client.post("/describe_source", data={**described, "about": "x" * 301})
        assert (refused.status_code, "at most 300 characters" in refused.text) == (400, True)
        assert (await twin(client, listed["more notes"]["change"]))["about"] == "What else was noted."
        for about in ("Ask this first.", ""):
            await client.post("/describe_source", data={**described, "about": about})
            assert (await twin(client, listed["more notes"]["change"]))["about"] == about
        assert (page["removal"]["documents"], page["removal"]["baselines"], page["removal"]["password"]) == (
            6,
            [],
            False,
        )
        assert "6 documents:" in (await client.get(listed["more notes"]["change"])).text
        assert (await twin(client, "/source?name=none"))["status"] == 400
        kept = await client.post("/remove_source", data={"csrf": secret, "name": "more notes", "confirm": "more"})
        assert "nothing was deleted" in kept.text
        await client.post("/scan_source", data={"csrf": secret, "name": "more notes"})
        await client.post("/remove_source", data={"csrf": secret, "name": "more notes", "confirm": "more notes"})
        assert {each["name"] for each in (await twin(client, "/sources"))["sources"]} == {"manual"}
        await client.post("/scan_source", data={"csrf": secret, "name": "manual"})
        await pages.work.close()


@pytest.mark.requirement("page-stream")
async def test_a_stream_tells_a_signed_in_browser_that_the_sources_changed(app: App) -> None:
    pages = pages_over(app)
    pages.streams = Streams(look_seconds=0, looks=2)
    async with browsing(pages) as client:
        assert (await client.get("/stream")).status_code == 401
        await client.post("/sign_in", data={"token": OWNER})
        answer = await client.get("/stream")
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.text == "data: changed\n\n"
        pages.streams.end()
        assert (await client.get("/stream")).status_code == 503


@pytest.mark.requirement("page-sources")
async def test_the_owner_adds_a_model(app: App, tmp_path: Path, folder: Path) -> None:
    pages = pages_over(app)
    model = modelled(tmp_path, 3)
    async with browsing(pages, OWNER) as client:
        secret = secret_of((await client.get("/sources")).text)
        for wrong in ("", str(tmp_path / "none.archimate"), str(folder / "pump.md"), "a\0b"):
            assert (await client.post("/add_model", data={"csrf": secret, "model": wrong})).status_code >= 400
        given = {"csrf": secret, "model": str(model), "tags": "it"}
        assert (await client.post("/add_model", data=given)).headers["location"] == "/sources"
        await pages.work.finished()
        listed = {each["name"]: each for each in (await twin(client, "/sources"))["sources"]}
        assert (listed["estate"]["kind"], listed["estate"]["tags"]) == ("archimate", ["it"])
        assert listed["estate"]["documents"] > 3


@pytest.mark.requirement("link-works-once")
@pytest.mark.requirement("page-strangers-get-nothing")
async def test_strangers_get_nothing_and_a_link_opens_everything_once(app: App) -> None:
    pages = pages_over(app)
    async with browsing(pages) as client:
        for view in pages.views:
            for path in (f"/{view.__name__}?q=pump", f"/{view.__name__}.json?q=pump"):
                answer = await client.get(path)
                assert answer.status_code == 401
                assert "pump" not in answer.text.replace("q=pump", ""), "only what they asked is repeated"
        for change in pages.changes:
            assert (await client.post(f"/{change.__name__}", data={"name": "manual"})).status_code == 401
        assert (await client.post("/link")).status_code == 401
        assert (await client.post("/link", headers={"authorization": "Bearer wrong"})).status_code == 401
        assert (await client.post("/sign_in", data={"token": "wrong"})).status_code == 401
        assert (await client.get("/", headers={"accept": "*/*"})).text.startswith("Citemark")
        assert "Sign in" in (await client.get("/")).text

        link = (await client.post("/link", headers={"authorization": f"Bearer {OWNER}"})).text
        assert (await client.head(link)).status_code == 405
        opened = await client.get(link)
        assert (opened.status_code, opened.headers["location"]) == (303, "/search")
        cookie = opened.headers["set-cookie"].lower()
        assert cookie.startswith("citemark_8765=")
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "domain" not in cookie
        assert (await client.get("/search")).status_code == 200
        assert (await client.get("/")).headers["location"] == "/search"
        assert "The link has ended" in (await client.get(link)).text
        html = (await client.get("/search")).text
        assert (await client.post("/sign_out", data={"csrf": secret_of(html)})).status_code == 303
        assert (await client.get("/search")).status_code == 401


@dataclass(frozen=True, slots=True)
class AwayIndex:
    """An index that cannot be opened, for a reason that a command explains."""

    why: CitemarkError

    async def services(self) -> Services:
        raise self.why

    async def app(self) -> App:
        raise AssertionError("only reading is tried")


@pytest.mark.requirement("no-impossible-scan-promised")
@pytest.mark.parametrize(
    "why",
    [
        BackendUnavailable("The database does not answer. `citemark doctor` says why."),
        FatalSourceError("The folder is missing. `citemark doctor` says why."),
    ],
    ids=["database", "source"],
)
async def test_only_whoever_has_the_command_line_is_told_of_commands_when_a_page_fails(
    app: App, why: CitemarkError
) -> None:
    issuer = Issuer()
    pages = replace(pages_over(app, issuer.reader()), index=AwayIndex(why))
    shown: list[str] = []
    for token in (OWNER, issuer.token()):
        async with browsing(pages, token) as client:
            html = unescape((await client.get("/sources")).text)
            failed = await twin(client, "/sources")
        assert (failed["status"], failed["message"] in html) == (503, True)
        shown.append(failed["message"])
    owner, person = shown
    assert owner.endswith("`citemark doctor` says why.")
    assert "citemark" not in person
    assert "hoever runs this server" in person


@pytest.mark.requirement("page-csrf")
async def test_a_change_needs_the_secret_of_the_session_and_this_very_page(app: App) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        secret = secret_of((await client.get("/sources")).text)
        form = {"name": "manual", "confirm": "manual"}
        good = {**form, "csrf": secret}
        for data, headers in (
            (form, {}),
            ({**form, "csrf": "wrong"}, {}),
            (good, {"sec-fetch-site": "same-site"}),
            (good, {"sec-fetch-site": "cross-site"}),
            (good, {"origin": "http://localhost:8765"}),
            (good, {"origin": "http://127.0.0.1:9999"}),
            (good, {"origin": "null"}),
            (good, {"origin": "null", "sec-fetch-site": "cross-site"}),
            ({**good, "more": "x" * 300_000}, {}),
        ):
            assert (await client.post("/remove_source", data=data, headers=headers)).status_code == 403
            refused = await client.post("/sign_out", data=data, headers=headers)
            assert refused.status_code == (403 if data is not good or headers else 303)
        foreign = await client.post("/sign_in", data={"token": OWNER}, headers={"sec-fetch-site": "cross-site"})
        assert foreign.status_code == 403
        assert [each.name for each in await app.sources.all()] == ["manual"]
        own = {"origin": "null", "sec-fetch-site": "same-origin"}  # as Chromium sends a form of a page without referrer
        assert (await client.post("/sign_in", data={"token": OWNER}, headers=own)).status_code == 303
        # A page of another site that has its own name point to this machine.
        assert (await client.get("/search", headers={"host": "evil.example"})).status_code == 421


@pytest.mark.requirement("page-headers")
async def test_every_answer_forbids_scripts_from_elsewhere_frames_and_referrers(app: App) -> None:
    pages = pages_over(app)
    async with browsing(pages, OWNER) as client:
        paths = ["/", "/search", "/search.json", "/ask", "/sources", "/document", "/assets/page.css", "/assets/none"]
        for path in (*paths, "/enter/none"):
            answer = await client.get(path)
            assert answer.headers["content-security-policy"] == POLICY
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["x-content-type-options"] == "nosniff"
        answer = await client.get("/assets/page.js")
        assert answer.headers["content-type"].startswith("text/javascript")
