"""The page that adds a Nextcloud account by a link."""

import pytest
from tests.integration.web.test_pages import secret_of, twin
from tests.nextcloud.server import Nextcloud
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App


@pytest.mark.requirement("page-account")
async def test_an_account_is_added_once_its_person_agreed_in_the_nextcloud(app: App, nextcloud: Nextcloud) -> None:
    nextcloud.world.notes.add("alice", "Okapi", "The okapi sleeps in the barn at night.", "")
    pages = pages_over(app)
    async with browsing(pages, OWNER) as client:
        assert "/account" in (await client.get("/sources")).text
        secret = secret_of((await client.get("/account")).text)
        assert (await client.post("/connect_account", data={"csrf": secret})).status_code == 400
        begun = await client.post("/connect_account", data={"csrf": secret, "url": nextcloud.url})
        assert (begun.status_code, begun.headers["location"]) == (303, "/account")
        asked = await twin(client, "/account")
        assert (asked["waiting"], asked["link"].startswith(nextcloud.url)) == (True, True)
        assert asked["link"] in (await client.get("/account")).text
        password = nextcloud.world.login.grant("alice", asked["link"])
        for _ in range(2):  # the login, and the reading that it begins
            await pages.work.finished()
        asked = await twin(client, "/account")
        assert (asked["waiting"], asked["link"], asked["failed"], asked["added"]) == (False, "", "", True)
        listed = {each["name"]: each for each in (await twin(client, "/sources"))["sources"]}
        (name,) = [each for each in listed if each.startswith("alice@")]
        assert listed[name]["documents"] >= 1
        page = await twin(client, listed[name]["change"])
        assert page["removal"]["password"]
        await client.post("/remove_source", data={"csrf": secret, "name": name, "confirm": name})
        assert password not in nextcloud.world.accounts.people["alice"].app_passwords


@pytest.mark.requirement("page-account")
async def test_a_login_that_fails_says_why_and_one_that_waits_is_given_up(app: App, nextcloud: Nextcloud) -> None:
    pages = pages_over(app)
    async with browsing(pages, OWNER) as client:
        secret = secret_of((await client.get("/account")).text)
        await client.post("/connect_account", data={"csrf": secret, "url": f"{nextcloud.url}/nowhere/at/all"})
        assert (await twin(client, "/account"))["failed"]
        await client.post("/connect_account", data={"csrf": secret, "url": nextcloud.url})
        assert (await twin(client, "/account"))["waiting"]
        assert (await client.post("/give_up_account", data={"csrf": secret})).headers["location"] == "/sources"
        assert not (await twin(client, "/account"))["waiting"]
