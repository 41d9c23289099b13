"""The pages of the graph and their JSON twins: neighbours, paths and impact, each edge with where it is stated."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.integration.web.conftest import model_indexed, modelled
from tests.integration.web.test_pages import links, twin
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App
from citemark.features.archimate.commands.picture import picture_of
from citemark.features.archimate.services.keys import MODEL_LISTING
from citemark.features.archimate.services.requests import PartRef, QueryScope, ViewRequest
from citemark.features.graph import graph_page
from citemark.model.architecture import VIEW
from citemark.services.requests import Caller

GATE, ACCESS, SENSOR = "estate:element:gate", "estate:element:access", "estate:element:s3"


@pytest.fixture
async def app_with_model(app: App, tmp_path: Path) -> App:
    await model_indexed(app, modelled(tmp_path))
    return app


@pytest.mark.requirement("page-graph")
async def test_the_neighbours_of_a_node_stand_in_groups_and_each_edge_opens_where_it_is_stated(
    app_with_model: App,
) -> None:
    async with browsing(pages_over(app_with_model), OWNER) as client:
        overview = (await twin(client, "/graph"))["overview"]
        assert overview["nodes"]["element"] == 33
        found = await twin(client, "/graph?q=gate+control")
        chosen = next(each["choose"] for each in found["choices"] if "control" in each["title"])
        around = (await twin(client, chosen))["around"]
        assert around["node"]["title"] == "<b>Gate</b> control"
        groups = {(each["outgoing"], each["type"], each["kind"]): each for each in around["groups"]}
        serving = groups[False, "Serving", "ApplicationComponent"]
        assert (serving["edges"], len(serving["rows"])) == (30, 12)
        assert len((await twin(client, serving["only"]))["around"]["groups"][0]["rows"]) == 30
        (row,) = groups[True, "Realization", "Capability"]["rows"]
        assert (row["node"]["id"], row["edge"]["name"]) == (ACCESS, "lets in")
        assert re.search(r", line \d", row["edge"]["stated"])
        cited = await twin(client, row["edge"]["open"])
        assert "lets in" in cited["quote"]
        html = unescape((await client.get(chosen)).text)
        assert "<b>Gate" not in (await client.get(chosen)).text
        assert 'id="__________cytoscape_stylesheet"' in html
        assert row["edge"]["open"] + "#cited" in links(html)
        # A document of the notes is a node too, and its hit leads there.
        page = await client.get("/search?q=How often is the axle greased?&source=manual")
        address = next(link for link in links(page.text) if link.startswith("/graph?"))
        assert (await twin(client, address))["around"]["edges"]
        assert (await twin(client, "/graph?node=estate:element:none"))["status"] == 400


@pytest.mark.requirement("page-graph")
async def test_paths_and_impact_name_each_step_and_where_it_is_stated(app_with_model: App) -> None:
    async with browsing(pages_over(app_with_model), OWNER) as client:
        choosing = await twin(client, f"/paths?from={SENSOR}&q=Access")
        assert f"/paths?from={SENSOR}&to={ACCESS}".replace(":", "%3A") in [
            each["choose"] for each in choosing["choices"]
        ]
        found = await twin(client, f"/paths?from={SENSOR}&to={ACCESS}")
        shortest = found["paths"][0]
        assert [node["id"] for node in shortest["nodes"]] == [SENSOR, GATE, ACCESS]
        assert [edge["type"] for edge in shortest["edges"]] == ["Serving", "Realization"]
        html = (await client.get(f"/paths?from={SENSOR}&to={ACCESS}")).text
        assert shortest["edges"][0]["open"] + "#cited" in links(html)
        none = await twin(client, f"/paths?from={SENSOR}&to=manual:page:tools/start.txt")
        assert (none["paths"], bool(none["found"]["empty"])) == ([], True)
        assert (await twin(client, "/paths"))["paths"] == []
        for start in ("plan", "Plan of the day"):
            touched = await twin(client, f"/impact?q={start}")
            assert [each["node"]["title"] for each in touched["dependents"]] == ["<b>Gate</b> control", "Access"]
            last = touched["dependents"][-1]
            assert [edge["type"] for edge in last["path"]] == ["Triggering", "Realization"]
        html = (await client.get(f"/impact?node={GATE}")).text
        assert "What a change of &lt;b&gt;Gate&lt;/b&gt; control touches" in html
        assert "Nothing that is indexed says" in (await client.get(f"/impact?node={ACCESS}")).text
        assert (await twin(client, "/impact"))["changed"] is None


async def test_an_index_without_edges_says_why_there_is_no_graph(app: App) -> None:
    await app.sources.remove(await app.sources.named("manual"))
    async with browsing(pages_over(app), OWNER) as client:
        assert "No graph is built" in (await twin(client, "/graph"))["nothing"]


@pytest.mark.requirement("page-views-drawn")
async def test_a_view_is_drawn_as_the_command_draws_it_and_led_to_from_where_it_is_named(app_with_model: App) -> None:
    async with browsing(pages_over(app_with_model), OWNER) as client:
        (listed,) = (await twin(client, "/view"))["views"]
        assert listed["name"] == "Overview"
        shown = (await twin(client, listed["open"]))["shown"]
        assert {each["name"] for each in shown["elements"]} == {"<b>Gate</b> control", "Access"}
        html = (await client.get(listed["open"])).text
        ref = PartRef(QueryScope(), VIEW, "v")
        page = await app_with_model.services.get(MODEL_LISTING).view(Caller.local(), ViewRequest(ref))
        assert picture_of(page.layout, "Overview") in html
        assert "<b>" not in html
        assert listed["open"] in links((await client.get("/graph?node=estate:view:v")).text)
        assert not [link for link in links((await client.get(f"/graph?node={GATE}")).text) if "/view" in link]
        assert (await twin(client, "/view?view=none"))["status"] == 400


@pytest.mark.requirement("page-graph-many-neighbours")
async def test_a_group_with_more_neighbours_than_a_page_has_is_read_in_parts(
    app_with_model: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_page, "_ROWS_OF_GROUP", 12)
    async with browsing(pages_over(app_with_model), OWNER) as client:
        address = last = whole = f"/graph?node={GATE}&type=Serving&direction=incoming"
        parts: list[tuple[int, int, int]] = []
        seen: list[str] = []
        while address:
            around = (await twin(client, address))["around"]
            assert around["node"]["id"] == GATE
            parts.append((around["part"]["first"], around["part"]["last"], around["part"]["of"]))
            seen += [row["node"]["id"] for group in around["groups"] for row in group["rows"]]
            last, address = address, around["part"]["later"]
        assert parts == [(1, 12, 30), (13, 24, 30), (25, 30, 30)]
        assert sorted(seen) == sorted(f"estate:element:s{number}" for number in range(30))
        html = unescape((await client.get(last)).text)
        assert "25 to 30 of 30" in html
        earlier = (await twin(client, last))["around"]["part"]["earlier"]
        assert earlier in links(html)
        assert (await twin(client, earlier))["around"]["part"]["first"] == 13
        beyond = (await twin(client, f"{last}000"))["around"]
        assert (beyond["node"]["id"], beyond["groups"]) == (GATE, [])
        assert "There are no more" in (await client.get(f"{last}000")).text
        moment = quote((await twin(client, last))["around"]["edges"][0]["citation"]["as_of"])
        then = (await twin(client, f"{whole}&as_of={moment}"))["around"]
        assert f"as_of={moment}" in then["part"]["later"], "the parts are those of one state"
