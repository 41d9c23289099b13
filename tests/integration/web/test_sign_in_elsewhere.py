"""Pages that other machines reach: people sign in at the authorization server, and nobody gets in another way."""

from collections.abc import AsyncGenerator
from html import unescape
from urllib.parse import quote

import pytest
from tests.integration.web.signed_in import SITE, browser_of, pages_elsewhere, signs_in
from tests.support.code_issuer import CodeIssuer, code_issuer, sent_back
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App
from citemark.model.errors import ConfigurationError
from citemark.services.people.source_grants import Grantee
from citemark.web.routes import Pages

pytestmark = pytest.mark.requirement("page-sign-in-elsewhere")


@pytest.fixture
async def issuer() -> AsyncGenerator[CodeIssuer]:
    async with code_issuer() as made:
        yield made


@pytest.fixture
async def pages(app: App, issuer: CodeIssuer) -> AsyncGenerator[Pages]:
    await app.grants.grant(await app.sources.named("manual"), Grantee(user="alice", issuer=issuer.url))
    made = pages_elsewhere(app, issuer)
    yield made
    await made.close()


def cookies_of(headers: list[str]) -> dict[str, set[str]]:
    """The cookies that are set, with their attributes in lower case."""
    return {line.partition("=")[0]: {each.strip().lower() for each in line.split(";")[1:]} for line in headers}


async def test_a_person_goes_on_where_they_wanted_to_and_sees_their_own(pages: Pages, issuer: CodeIssuer) -> None:
    wanted = "/search?q=When+is+the+seal+changed"
    async with browsing(pages, base=SITE) as client:
        refused = await client.get(wanted)
        assert refused.status_code == 401
        link = f"/sign_in_elsewhere?back={quote(wanted)}"
        assert link in unescape(refused.text)
        sent = await client.get(link)
        kept = cookies_of(sent.headers.get_list("set-cookie"))
        assert kept.keys() == {"__Host-citemark_443_elsewhere"}
        assert {"httponly", "secure", "samesite=lax", "path=/", "max-age=600"} == kept.popitem()[1]
        returned = await client.get("/signed_in", params=await sent_back(sent.headers["location"]))
        assert returned.status_code == 200
        assert f'content="0; url={wanted}"' in unescape(returned.text)
        set_now = cookies_of(returned.headers.get_list("set-cookie"))
        assert set_now["__Host-citemark_443"] == {"httponly", "secure", "samesite=strict", "path=/"}
        assert "max-age=0" in set_now["__Host-citemark_443_elsewhere"]
        assert [*client.cookies] == ["__Host-citemark_443"]
        assert "every spring" in (await client.get(wanted)).text
        assert (await client.get("/sources")).status_code == 200
        assert "Add a folder" not in (await client.get("/sources")).text, "no token of an issuer is the owner's"
    async with browser_of(pages, issuer, "bob") as client:
        found = await client.get(wanted)
        assert found.status_code == 200
        assert "every spring" not in found.text


async def test_a_browser_that_was_not_sent_there_is_not_signed_in(pages: Pages, issuer: CodeIssuer) -> None:
    async with browsing(pages, base=SITE) as thief, browsing(pages, base=SITE) as victim:
        sent = await thief.get("/sign_in_elsewhere")
        brought = await sent_back(sent.headers["location"])
        # The thief has the victim open the address with which the thief would be signed in.
        answer = await victim.get("/signed_in", params=brought)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
        assert issuer.exchanged == []
        begun = await victim.get("/sign_in_elsewhere")
        assert (await victim.get("/signed_in", params=brought)).status_code == 401
        assert issuer.exchanged == []
        # What others made the victim open did no harm to the sign-in that the victim began.
        own = await sent_back(begun.headers["location"])
        kept = victim.cookies["__Host-citemark_443_elsewhere"]
        assert (await victim.get("/signed_in", params=own)).status_code == 200
        victim.cookies.set("__Host-citemark_443_elsewhere", kept)
        assert (await victim.get("/signed_in", params=own)).status_code == 401
        assert len(issuer.exchanged) == 1


async def test_whoever_may_not_read_here_or_is_known_for_another_server_is_not_signed_in(
    pages: Pages, issuer: CodeIssuer
) -> None:
    async with browsing(pages, base=SITE) as client:
        for issuer.access_claims in ({"aud": "https://other.example/mcp"}, {"scope": "semantic:write"}):
            answer = await signs_in(client)
            assert answer.status_code == 401
            assert "does not let you read here" in answer.text
        issuer.access_claims, issuer.id_claims = {}, {"nonce": "of another sign-in"}
        assert (await signs_in(client)).status_code == 401
        issuer.id_claims, issuer.answer = {}, {"access_token": OWNER}
        assert (await signs_in(client)).status_code == 401, "not even the owner's token comes this way"
        issuer.answer, issuer.status = {}, 503
        assert (await signs_in(client)).status_code == 503
        issuer.status, issuer.answer = None, {"expires_in": 0}
        assert (await signs_in(client)).status_code == 200
        assert (await client.get("/search")).status_code == 401, "a session ends with its token"
        issuer.answer = {}
        refused = await client.get("/signed_in", params={"error": "access_denied", "state": "any"})
        assert (refused.status_code, "You were not signed in" in refused.text) == (401, True)
        assert (await client.get("/search")).status_code == 401
        assert (await signs_in(client)).status_code == 200


async def test_no_session_is_fixed_and_no_browser_is_led_to_another_site(pages: Pages, issuer: CodeIssuer) -> None:
    async with browsing(pages, base=SITE) as client:
        client.cookies.set("__Host-citemark_443", "chosen by somebody else", domain="citemark.example")
        assert (await signs_in(client)).status_code == 200
        first = client.cookies["__Host-citemark_443"]
        assert first != "chosen by somebody else"
        assert (await signs_in(client)).status_code == 200
        assert client.cookies["__Host-citemark_443"] != first
        async with browsing(pages, base=SITE) as former:
            former.cookies.set("__Host-citemark_443", first, domain="citemark.example")
            assert (await former.get("/search")).status_code == 401
        html = (await client.get("/search")).text
        csrf = html.partition('name="csrf" value="')[2].partition('"')[0]
        assert (await client.post("/sign_out", data={"csrf": csrf})).status_code == 303
        assert (await client.get("/search")).status_code == 401
        for back in ("https://evil.example/", "//evil.example", "/\\evil.example", "/sign_out", "javascript:alert(1)"):
            shown = await signs_in(client, back)
            assert 'content="0; url=/search"' in shown.text
            assert "evil" not in shown.text
            answer = await client.post("/sign_in", data={"token": OWNER, "back": back})
            assert (answer.status_code, answer.headers["location"]) == (303, "/search")
        form = {"token": issuer.issuer.token(), "back": "/sources"}
        assert (await client.post("/sign_in", data=form)).headers["location"] == "/sources"


async def test_without_an_issuer_that_can_be_asked_there_is_the_form_alone(app: App, issuer: CodeIssuer) -> None:
    async with browsing(pages_over(app, issuer.issuer.reader())) as client:
        assert (await client.get("/sign_in_elsewhere")).status_code == 404
        assert (await client.get("/signed_in?code=x&state=y")).status_code == 404
        assert "sign_in_elsewhere" not in (await client.get("/search")).text
    issuer.metadata = {"issuer": "https://evil.example"}
    lost = pages_elsewhere(app, issuer)
    async with browsing(lost, base=SITE) as client:
        assert (await client.get("/sign_in_elsewhere")).status_code == 503
    await lost.close()
    alone = app.settings.model_copy(update={"oauth_pages_client_id": "pages"})
    with pytest.raises(ConfigurationError, match="oauth_pages_client_id needs oauth_issuer"):
        pages_over(app, issuer.issuer.reader(), settings=alone)
