"""What a browser keeps while its person signs in elsewhere: sealed, for ten minutes, and good for once."""

from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.code_issuer import CLIENT_ID, RETURNS_TO, code_issuer, sent_back
from tests.support.issuer import RESOURCE
from tests.unit.identity.test_key_sets import Stopped

from citemark.identity.begun_sign_in import SignInRefused
from citemark.identity.code_flow import CodeFlow, CodeFlowRules
from citemark.identity.issuer_requests import IssuerClient
from citemark.identity.key_sets import KeySet
from citemark.web.sign_in_elsewhere import WAIT_SECONDS, SignInElsewhere


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_a_browser_comes_back_once_in_time_and_with_what_it_was_given() -> None:
    clock = Stopped(1_800_000_000)
    async with code_issuer() as issuer:
        rules = CodeFlowRules(issuer.url, RESOURCE, RETURNS_TO, IssuerClient(CLIENT_ID), ("ES256",), "openid")
        flow = CodeFlow(rules, KeySet(issuer.url))
        ours, others = SignInElsewhere(flow, clock), SignInElsewhere(flow, clock)
        begun = await ours.begin("/document?source=a")
        assert parse_qs(urlsplit(begun.address).query)["state"][0] not in begun.kept
        brought = await sent_back(begun.address)
        with pytest.raises(SignInRefused):
            await ours.end(begun.kept, {**brought, "state": "of another site"})
        issued, back = await ours.end(begun.kept, brought)
        assert (bool(issued.token), back) == (True, "/document?source=a")

        late, twice = await ours.begin("/search"), await ours.begin("/search")
        returned = await sent_back(twice.address)
        await ours.end(twice.kept, returned)
        exchanged = len(issuer.exchanged)
        for kept, given in ((twice.kept, returned), ("", returned), ("forged", returned), ("\u00e4", returned)):
            with pytest.raises(SignInRefused):
                await ours.end(kept, given)
        with pytest.raises(SignInRefused):
            await others.end(late.kept, await sent_back(late.address))
        clock.now += WAIT_SECONDS + 1
        with pytest.raises(SignInRefused):
            await ours.end(late.kept, await sent_back(late.address))
        assert len(issuer.exchanged) == exchanged, "the issuer is not even asked"
        await ours.close()
