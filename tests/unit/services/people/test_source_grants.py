"""Whom a grant names."""

import pytest

from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.services.people.source_grants import Grantee


def test_a_person_is_a_principal_but_a_group_or_everyone_is_not() -> None:
    person = Grantee(user="alice", issuer="https://issuer.example").person()
    assert person == Principal("local", "https://issuer.example alice", frozenset())
    assert Grantee(token="laptop").person() == Principal("local", "token laptop", frozenset())
    assert Grantee(group="staff", issuer="https://issuer.example").person() is None
    assert Grantee(everyone=True).person() is None


@pytest.mark.parametrize(
    "grantee",
    [Grantee(), Grantee(user="alice"), Grantee(user="alice", everyone=True), Grantee(user="a", issuer="not one")],
)
def test_a_grant_names_exactly_one_and_people_by_their_issuer(grantee: Grantee) -> None:
    with pytest.raises(InvalidArgument):
        grantee.stored()
