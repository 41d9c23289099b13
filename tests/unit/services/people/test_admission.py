"""Whom a token stands for, whatever transport it came over."""

import pytest

from citemark.identity.token_claims import TokenRefused
from citemark.model.errors import BackendUnavailable
from citemark.model.scope import Principal
from citemark.services.people.admission import Admission, OwnerToken, TurnedAway, bearer_in
from citemark.services.people.call_limits import CallLimits, LimitSettings

ANN = Principal("elsewhere", "ann", frozenset())


class Reader:
    """Knows one token of Ann's; another one cannot be looked up now."""

    async def principal_of(self, token: str) -> Principal:
        if token == "later":
            raise BackendUnavailable("the issuer does not answer")
        if token != "anns":
            raise TokenRefused("it has expired")
        return ANN


async def refusal(admission: Admission, given: str | None) -> TurnedAway:
    with pytest.raises(TurnedAway) as caught:
        await admission.principal_of(given)
    return caught.value


async def test_the_owners_token_is_the_owner_and_another_persons_that_person() -> None:
    admission = Admission(OwnerToken("mine"), Reader())
    assert await admission.principal_of("mine") is None
    assert await admission.principal_of("anns") == ANN


async def test_without_a_token_of_the_owner_everybody_is_served_as_the_owner() -> None:
    assert await Admission(OwnerToken(None)).principal_of(None) is None


async def test_what_stands_for_nobody_is_turned_away_and_only_the_log_learns_why() -> None:
    admission = Admission(OwnerToken("mine"), Reader())
    none, wrong = await refusal(admission, None), await refusal(admission, "old")
    assert (none.status, none.reason) == (401, None)
    assert (wrong.status, wrong.reason, wrong.message) == (401, "it has expired", none.message)
    assert (await refusal(Admission(OwnerToken("mine")), "anns")).status == 401


async def test_who_cannot_be_determined_now_may_try_again() -> None:
    later = await refusal(Admission(OwnerToken("mine"), Reader()), "later")
    assert (later.status, later.retry_after) == (503, 5)
    assert "the issuer does not answer" in later.message


async def test_who_sends_too_many_requests_is_told_how_long_to_wait() -> None:
    limits = CallLimits(LimitSettings(rate=10), seconds=lambda: 0.0)
    admission = Admission(OwnerToken("mine"), Reader(), limits)
    assert await admission.principal_of("anns") == ANN
    waiting = await refusal(admission, "anns")
    assert (waiting.status, waiting.principal, waiting.retry_after) == (429, ANN, 6)


@pytest.mark.parametrize(
    "values", [[], ["Basic abc"], ["Bearer"], ["Bearer  "], ["Bearer one", "Bearer two"]], ids=repr
)
def test_anything_but_one_bearer_token_is_none(values: list[str]) -> None:
    assert bearer_in(values) is None
    assert bearer_in(["bearer  mine "]) == "mine"
