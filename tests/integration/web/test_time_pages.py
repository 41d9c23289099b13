"""The pages of time and their JSON twins: named states, a search then and now, and what differs."""

from pathlib import Path

import pytest
from tests.integration.web.conftest import MANUAL
from tests.integration.web.test_pages import links, secret_of, twin
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App

QUESTION = "How often is the axle greased?"


@pytest.mark.requirement("page-time")
async def test_a_state_is_named_searched_beside_the_present_one_and_compared_with_it(app: App, folder: Path) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        assert (await twin(client, "/time"))["states"] == []
        secret = secret_of((await client.get("/time")).text)
        answer = await client.post("/name_state", data={"csrf": secret, "name": "before spring"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/time")
        assert (await client.post("/name_state", data={"csrf": secret, "name": "HEAD"})).status_code == 400
        (folder / "pump.md").write_text(MANUAL.replace("twice a year", "once a month"), "utf-8")
        (folder / "limits.md").unlink()
        (folder / "late.md").write_text("# Late\n\nThe axle of the late pump is greased never.\n", "utf-8")
        for _ in range(2):
            await app.sync(await app.local_sources())

        (state,) = (await twin(client, "/time"))["states"]
        assert (state["name"], state["sources"]) == ("before spring", ["manual"])
        found = await twin(client, state["differences"])
        assert found["counts"] == {"added": 1, "removed": 1, "changed": 1, "renamed": 0}
        changes = {each["change"]: each for each in found["changes"]}
        (place,) = changes["changed"]["places"]
        assert "twice a year" in place["before"]["text"]
        assert "once a month" in place["after"]["text"]
        assert [side["word"] for side in changes["removed"]["sides"]] == ["before"]
        before = changes["changed"]["sides"][0]["open"]
        assert (await twin(client, before))["text"] == MANUAL
        html = (await client.get(state["differences"])).text
        assert "1 added, 1 removed, 1 changed, 0 renamed" in html
        assert before in links(html)

        sides = (await twin(client, f"/then?q={QUESTION}&before=before spring"))["sides"]
        assert sides[0]["state"].startswith("baseline before spring")
        assert sides[1]["state"].startswith("HEAD")
        told = [{hit["citation"]["document_id"]: hit for hit in side["hits"]} for side in sides]
        pumps = [next(hit for name, hit in side.items() if name.startswith("pump.md")) for side in told]
        assert [hit["same_text"] for hit in pumps] == [False, False]
        assert all(hit["other_rank"] for hit in pumps)
        late = next(hit for name, hit in told[1].items() if name.startswith("late.md"))
        assert late["other_rank"] is None
        html = (await client.get(f"/then?q={QUESTION}&before=before spring")).text
        assert ("only here" in html, "in other words" in html) == (True, True)
        assert (await twin(client, "/then"))["sides"] == []
        assert (await twin(client, f"/then?q={QUESTION}"))["status"] == 400
        assert (await twin(client, "/differences"))["counts"] is None
        assert (await twin(client, "/differences?before=none"))["status"] == 400
        assert (await twin(client, "/differences?before=before spring&path=late"))["counts"]["added"] == 1


@pytest.mark.requirement("page-time")
async def test_more_documents_that_differ_follow_on_the_next_page(app: App, folder: Path) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        secret = secret_of((await client.get("/time")).text)
        await client.post("/name_state", data={"csrf": secret, "name": "few", "source": "manual"})
        for number in range(30):
            (folder / f"new-{number:02}.md").write_text(f"# New {number}\n\nText {number}.\n", "utf-8")
        await app.sync(await app.local_sources())
        first = await twin(client, "/differences?before=few")
        rest = await twin(client, first["next"])
        assert (len(first["changes"]), len(rest["changes"]), rest["next"]) == (25, 5, "")
