"""Two people on the same pages: what is another person's and what does not exist look the same on every route."""

import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx2
import pytest
from tests.integration.web.signed_in import SITE, browser_of, pages_elsewhere
from tests.support.code_issuer import CodeIssuer, code_issuer
from tests.support.issuer import Issuer
from tests.support.web_pages import browsing, pages_over

from citemark.app.compose import App
from citemark.app.features import pages_of
from citemark.app.open_index import open_app
from citemark.model.source_labels import SourceLabels
from citemark.model.sources import NewSource
from citemark.services.history_keys import BASELINES
from citemark.services.people.source_grants import Grantee
from citemark.settings import Settings
from citemark.web.routes import VIEWS, Pages

CANARIES = {"alice": "okapi", "bob": "quagga"}
ASKED = {
    "search": (
        "q={word}",
        "q=What+about+the+{word}?&source={word}-docs",
        "q=food&tag={word}-tag",
        "q=food&path={word}/",
        "q=food&kind=page&language=english&year=2026",
        "q=food&label={word}",
    ),
    "document": (
        "source={word}-docs&document={word}.md",
        "source={mine}-docs&document={word}.md&revision=1&start=0&end=9",
    ),
    "changes": (
        "source={word}-docs&document={word}.md&before=1&after=2",
        "source={mine}-docs&document={word}.md&before=1&after=2",
    ),
    "verify": (
        "source={word}-docs&document={word}.md&quote=The+{word}+is+fed",
        "source={mine}-docs&document={word}.md&quote=The+{word}+is+fed",
    ),
    "ask": ("q=What+is+the+{word}+fed?",),
    "sources": ("name={word}-docs",),
    "source": ("name={word}-docs",),
    "folders": ("", "at=/"),
    "hosts": ("written={word}",),
    "graph": ("", "q={word}", "node={word}-docs:page:{word}.md", "node=:term:{word}", "node=:label:{word}"),
    "paths": (
        "from={word}-docs:page:{word}.md&q=food",
        "from={mine}-docs:page:{mine}.md&to={word}-docs:page:{word}.md",
        "from={mine}-docs:page:{mine}.md&q={word}",
    ),
    "evaluate": ("", "q={word}&source={word}-docs&document={word}.md"),
    "report": ("run=documents-20260101T000000.000000Z.json",),
    "account": ("",),
    "time": ("before={word}-state",),
    "then": (
        "q=What+is+the+{word}+fed?&before={word}-state",
        "q=food&before={mine}-state",
        "q=food&before=2020-01-01&source={word}-docs",
    ),
    "differences": ("before={word}-state", "before={mine}-state", "before={mine}-state&source={word}-docs&path={word}"),
    "view": ("", "view={word}", "view={word}&source={word}-docs"),
    "agents": ("", "before=9"),
    "impact": ("q={word}", "node={word}-docs:page:{word}.md"),
}
VOLATILE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?|(?<![\w-])[\w-]{43}(?![\w-])")


@pytest.fixture
async def pages(dsn: str, tmp_path: Path) -> AsyncGenerator[tuple[App, Pages, CodeIssuer]]:
    given = Settings(database_url=dsn, data_dir=tmp_path / "data")  # pyright: ignore[reportArgumentType]
    async with code_issuer() as issuer, open_app(given) as app:
        for who, word in CANARIES.items():
            folder = tmp_path / who
            folder.mkdir()
            (folder / f"{word}.md").write_text(
                f"---\ntags: [{word}]\n---\n# The {word} file\n\nThe {word} is fed twice a day with food.\n", "utf-8"
            )
            source = await app.sources.add(
                NewSource(f"{word}-docs", "docs", {"root": str(folder)}, labels=SourceLabels((f"{word}-tag",)))
            )
            await app.grants.grant(source, Grantee(user=who, issuer=issuer.url))
        await app.sync(await app.local_sources())
        for word in CANARIES.values():
            await app.services.get(BASELINES).create(f"{word}-state", (f"{word}-docs",))
        made = pages_elsewhere(app, issuer)
        yield app, made, issuer
        await made.close()


READ_ALONG = {page.name for page in pages_of() if page.asks_model}
"""The pages that are also streamed while a model writes."""


async def seen_by_alice(client: httpx2.AsyncClient) -> dict[str, str]:
    """All that Alice can observe when she asks every page for Bob's things, without what differs each time."""
    seen: dict[str, str] = {}
    for name, queries in ASKED.items():
        for query in queries:
            events = (f"/{name}.events?{query}",) if name in READ_ALONG else ()
            for form in (f"/{name}?{query}", f"/{name}.json?{query}", *events):
                path = form.replace("{word}", CANARIES["bob"]).replace("{mine}", CANARIES["alice"])
                answer = await client.get(path)
                kept = {header: value for header, value in answer.headers.items() if header != "content-length"}
                seen[path] = f"{answer.status_code} {sorted(kept.items())} {VOLATILE.sub('', answer.text)}"
    return seen


def test_every_page_is_asked() -> None:
    assert ASKED.keys() == {view.__name__ for view in (*VIEWS, *(page.view for page in pages_of()))}


@pytest.mark.requirement("page-isolation", "page-sign-in-elsewhere")
async def test_what_is_anothers_and_what_does_not_exist_look_the_same(pages: tuple[App, Pages, CodeIssuer]) -> None:
    app, made, issuer = pages
    async with AsyncExitStack() as stack:
        people = {who: await stack.enter_async_context(browser_of(made, issuer, who)) for who in CANARIES}
        by_token = await stack.enter_async_context(browsing(made, issuer.issuer.token("alice", "semantic:read"), SITE))
        with_his = await seen_by_alice(people["alice"])
        assert await seen_by_alice(by_token) == with_his, "the way in makes no difference"
        assert CANARIES["alice"] in with_his["/sources?name=quagga-docs"]
        # The same questions are answered to the person whose documents they are about.
        word = CANARIES["bob"]
        for path in (f"/search?q={word}", f"/document?source={word}-docs&document={word}.md", f"/ask?q={word}"):
            answer = await people["bob"].get(path)
            assert answer.status_code == 200
            assert "twice a day" in answer.text
        shown = await people["bob"].get("/sources")
        assert "quagga-docs" in shown.text
        assert str(Path(app.settings.data_dir or ".").parent) not in shown.text
        assert "Add a folder" not in shown.text
        await app.sources.remove(await app.sources.named("quagga-docs"))
        assert await seen_by_alice(people["alice"]) == with_his


@pytest.mark.requirement("page-isolation")
async def test_only_the_owner_changes_anything(pages: tuple[App, Pages, CodeIssuer]) -> None:
    app, made, issuer = pages
    async with browsing(made, issuer.issuer.token("alice", "semantic:read semantic:write"), SITE) as client:
        found = re.search(r'name="csrf" value="([^"]+)"', (await client.get("/sources")).text)
        assert found is not None
        for change in made.changes:
            for name in ("quagga-docs", "okapi-docs", "none"):
                data = {"csrf": found[1], "name": name, "confirm": name, "folder": "/", "q": name}
                assert (await client.post(f"/{change.__name__}", data=data)).status_code == 403
        assert {each.name for each in await app.sources.all()} == {"okapi-docs", "quagga-docs"}


@pytest.mark.requirement("page-isolation")
async def test_a_token_that_may_not_read_does_not_sign_in(pages: tuple[App, Pages, CodeIssuer]) -> None:
    _, made, issuer = pages
    async with browsing(made, base=SITE) as client:
        for token in (issuer.issuer.token("alice", "semantic:write"), Issuer().token("alice"), "no token"):
            assert (await client.post("/sign_in", data={"token": token})).status_code == 401
        limited = await client.post("/sign_in", data={"token": issuer.issuer.token("alice")})
        assert limited.status_code == 303


async def test_a_person_who_asks_too_often_is_told_to_wait(pages: tuple[App, Pages, CodeIssuer]) -> None:
    app, _, issuer = pages
    hasty = pages_over(app, issuer.issuer.reader(), rate=1)
    async with browsing(hasty, issuer.issuer.token("alice")) as client:
        assert (await client.get("/sources")).status_code == 200
        answer = await client.get("/sources")
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) > 0
        assert (await client.get("/ask.events?q=quagga")).status_code == 429
