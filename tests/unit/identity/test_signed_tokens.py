"""JWTs with real signatures: whom a right one names, and that each wrong one is refused."""

from collections.abc import Callable

import pytest
from tests.support.issuer import FAR_OFF, LONG_AGO, Issuer, self_made, tampered, unsigned

from citemark.identity.token_claims import TokenRefused
from citemark.model.scope import READ, WRITE, Principal

OTHER = Issuer()
Made = Callable[[Issuer], str]

BAD: dict[str, Made] = {
    "of another issuer": lambda issuer: issuer.token(iss="https://other.example"),
    "for another resource": lambda issuer: issuer.token(aud="https://other.example/mcp"),
    "for a longer address": lambda issuer: issuer.token(aud="https://citemark.example/mcp/x"),
    "an ID token": lambda issuer: issuer.token(typ="JWT"),
    "of no type": lambda issuer: issuer.token(typ=""),
    "unsigned": lambda issuer: unsigned(issuer.claims()),
    "signed with the public key as a secret": lambda issuer: self_made(
        issuer.claims(), (issuer.jwk["x"] + issuer.jwk["y"]).encode()
    ),
    "expired": lambda issuer: issuer.token(exp=LONG_AGO + 1),
    "not valid yet": lambda issuer: issuer.token(nbf=FAR_OFF - 1),
    "issued in the future": lambda issuer: issuer.token(iat=FAR_OFF - 1),
    "tampered with": lambda issuer: tampered(issuer.token()),
    "signed by somebody else": lambda _: OTHER.token(),
    "without an expiry": lambda issuer: issuer.token(exp=None),
    "without an issuer": lambda issuer: issuer.token(iss=None),
    "without an audience": lambda issuer: issuer.token(aud=None),
    "without a subject": lambda issuer: issuer.token(sub=None),
    "without the time of issue": lambda issuer: issuer.token(iat=None),
    "with an unprintable subject": lambda issuer: issuer.token("ali\0ce"),
    "with an endless subject": lambda issuer: issuer.token("a" * 256),
    "with a critical extension": lambda issuer: issuer.signed(issuer.claims(), typ="at+jwt", crit=["b64"], b64=True),
    "of three words": lambda _: "a.b.c",
    "of one word": lambda _: "opaque",
    "too long": lambda _: "a" * 20_000,
}


@pytest.mark.requirement("jwts-checked-in-full", "bad-tokens-are-refused")
@pytest.mark.parametrize("made", BAD.values(), ids=BAD.keys())
async def test_a_token_with_any_single_defect_is_rejected(made: Made) -> None:
    issuer = Issuer()
    with pytest.raises(TokenRefused):
        await issuer.reader().principal_of(made(issuer))


@pytest.mark.requirement("bad-tokens-are-refused")
async def test_a_token_of_an_unknown_key_is_refused() -> None:
    issuer = Issuer()
    stranger = Issuer(kid="k2").token()
    with pytest.raises(TokenRefused, match="no such key"):
        await issuer.reader().principal_of(stranger)
    assert issuer.asked == ["k2"]


@pytest.mark.requirement("bad-tokens-are-refused")
async def test_an_algorithm_that_is_not_on_the_list_is_refused_before_any_key_is_asked_for() -> None:
    issuer = Issuer()
    with pytest.raises(TokenRefused, match="algorithm"):
        await issuer.reader(algorithms=("RS256",)).principal_of(issuer.token())
    assert issuer.asked == []


@pytest.mark.requirement(
    "jwts-checked-in-full", "dotted-scopes-accepted-in-tokens", "dotted-scopes-accepted-in-stored-tokens"
)
async def test_a_right_token_names_its_issuer_and_subject_and_carries_scopes_and_groups() -> None:
    issuer = Issuer()
    token = issuer.token("alice", "openid semantic.read semantic:write notes:read", groups=["staff", 7, "", "x\0y"])
    found = await issuer.reader().principal_of(token)
    assert found == Principal(
        "local",
        "https://issuer.example alice",
        frozenset({READ, WRITE}),
        frozenset({"https://issuer.example staff"}),
    )


@pytest.mark.requirement("jwts-checked-in-full")
async def test_an_identity_token_is_accepted_only_if_the_settings_allow_it() -> None:
    issuer = Issuer()
    token = issuer.token(typ="JWT")
    assert (await issuer.reader(plain_type=True).principal_of(token)).subject == "https://issuer.example alice"
    with pytest.raises(TokenRefused):
        await issuer.reader().principal_of(token)


async def test_one_of_several_audiences_suffices() -> None:
    issuer = Issuer()
    token = issuer.token(aud=["https://other.example", "https://citemark.example/mcp"])
    assert (await issuer.reader().principal_of(token)).scopes == {READ}


async def test_a_key_that_is_for_another_algorithm_is_not_used() -> None:
    issuer = Issuer()

    class Other:
        async def key(self, kid: str | None) -> dict[str, object]:
            return {**issuer.jwk, "alg": "ES384"}

    with pytest.raises(TokenRefused, match="another algorithm"):
        await issuer.reader(Other()).principal_of(issuer.token())


async def test_scopes_may_come_as_a_list() -> None:
    issuer = Issuer()
    token = issuer.token(scope=None, scp=["semantic:write"])
    assert (await issuer.reader().principal_of(token)).scopes == {WRITE}
