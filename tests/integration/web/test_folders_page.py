"""The page that walks through the folders of the server's machine."""

from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from tests.integration.web.test_pages import links, twin
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    for name in ("b & c", "A", ".hidden", "A/deep"):
        (place / name).mkdir(parents=True)
    (place / "file.md").write_text("no folder", "utf-8")
    monkeypatch.setenv("HOME", str(place))
    return place


@pytest.mark.requirement("page-folders")
async def test_the_owner_walks_to_a_folder_and_chooses_it(app: App, home: Path) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        start = await twin(client, "/folders")
        assert [each["name"] for each in start["folders"]] == ["A", "b & c", ".hidden"]
        inner = await twin(client, start["folders"][0]["open"])
        assert (inner["at"], [each["name"] for each in inner["folders"]]) == (str(home / "A"), ["deep"])
        assert (await twin(client, inner["up"]))["at"] == str(home)
        odd = await twin(client, start["folders"][1]["open"])
        assert odd["folders"] == []
        chosen = next(link for link in links((await client.get(start["folders"][1]["open"])).text) if "folder=" in link)
        assert 'value="' + str(home / "b &amp; c") in (await client.get(chosen.partition("#")[0])).text
        assert (await twin(client, "/folders?at=/"))["up"] == ""
        for wrong in (str(home / "file.md"), str(home / "none"), "a\0b", "~nobody-has-this-name"):
            assert (await client.get("/folders", params={"at": wrong})).status_code == 400


@pytest.mark.requirement("page-folders")
async def test_nobody_looks_through_the_machine_from_elsewhere(app: App, home: Path) -> None:
    elsewhere = httpx2.ASGITransport(Starlette(routes=pages_over(app).routes()))
    async with httpx2.AsyncClient(transport=elsewhere, base_url="http://box.example") as client:
        await client.post("/sign_in", data={"token": OWNER})
        answer = await client.get("/folders.json")
        assert (answer.status_code, answer.json()) == (200, {"allowed": False})
