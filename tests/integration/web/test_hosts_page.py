"""The page of the hosts: the entry that each needs, and writing it from the machine of the owner."""

import json
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from tests.integration.web.test_pages import secret_of, twin
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App
from citemark.cli.install.hosts import HOSTS


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which Cursor is installed and nothing else."""
    place = tmp_path / "home"
    (place / ".cursor").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("CITEMARK_DATABASE_URL", "postgresql://me:verysecret@db/x")
    return place


async def changed_at(client: httpx2.AsyncClient, host: str) -> httpx2.Response:
    secret = secret_of((await client.get("/search")).text)
    return await client.post("/install_host", data={"csrf": secret, "host": host})


@pytest.mark.requirement("page-hosts")
async def test_each_host_shows_its_entry_and_the_one_of_this_machine_is_written(app: App, home: Path) -> None:
    async with browsing(pages_over(app), OWNER) as client:
        listed = (await twin(client, "/hosts"))["hosts"]
        assert {each["key"] for each in listed} == {host.key for host in HOSTS}
        assert [each["key"] for each in listed if each["found"]] == ["cursor"]
        assert listed[0]["key"] == "cursor"
        entry = json.loads(listed[0]["text"])["mcpServers"]["citemark"]
        assert entry["args"][-1] == "serve"
        assert all(each["text"].strip() for each in listed)
        html = (await client.get("/hosts")).text
        assert html.count("Write it for me") == 1
        assert "verysecret" not in html
        answer = await changed_at(client, "cursor")
        assert answer.headers["location"] == "/hosts?written=cursor"
        written = json.loads((home / ".cursor" / "mcp.json").read_text("utf-8"))
        assert written["mcpServers"]["citemark"]["env"]["CITEMARK_DATABASE_URL"].endswith("@db/x")
        assert "Cursor has Citemark now" in (await client.get("/hosts?written=cursor")).text
        assert (await twin(client, "/hosts"))["hosts"][0]["names"] == ["citemark"]
        assert (await changed_at(client, "cursor")).status_code == 303
        for host in ("none", "zed"):
            assert (await changed_at(client, host)).status_code == 400


@pytest.mark.requirement("page-hosts")
async def test_nothing_is_written_for_a_browser_elsewhere(app: App, home: Path) -> None:
    elsewhere = httpx2.ASGITransport(Starlette(routes=pages_over(app).routes()))
    async with httpx2.AsyncClient(transport=elsewhere, base_url="http://box.example") as client:
        await client.post("/sign_in", data={"token": OWNER})
        assert "Write it for me" not in (await client.get("/hosts")).text
        assert (await changed_at(client, "cursor")).status_code == 400
        assert not list((home / ".cursor").iterdir())
