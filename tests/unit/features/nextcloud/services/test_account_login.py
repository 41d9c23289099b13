"""An account is recorded with its password or not at all, and only its own user can renew its login."""

from base64 import b64decode
from dataclasses import replace
from typing import Any, cast

import pytest

from citemark.features.nextcloud.services.account_login import AccountLogins
from citemark.features.nextcloud.source.client import Credential
from citemark.features.nextcloud.source.login import VerifiedAccount
from citemark.model.accounts import NEXTCLOUD
from citemark.model.errors import ConfigurationError, FatalSourceError, InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.source_labels import SourceLabels
from citemark.model.sources import NewSource, Source
from citemark.remote.connections import HttpRequest, HttpResponse

SERVER = "https://cloud.example"
ALICE = VerifiedAccount(SERVER, "alice@example", "alice", "first")
CONFIG = {"server": SERVER, "login": "alice@example", "user": "alice"}
NEW = NewSource(name="cloud", kind=NEXTCLOUD, config=CONFIG)


BOB = Principal.issued("token", "bob", frozenset())


class Recorded:
    """Sources, their switches and their passwords, as far as a login touches them."""

    def __init__(self, *, key: bool = True) -> None:
        self.sources: dict[SourceId, Source] = {}
        self.grantees: list[str] = []
        self.switched: list[dict[str, Any]] = []
        self.passwords: dict[SourceId, str] = {}
        self.revoked: list[str] = []
        self._key = key
        mine = cast("Any", self)
        self.logins = AccountLogins(mine, mine, self._passwords, mine)

    async def owned(self, principal: Principal) -> list[Source]:
        theirs = zip(self.sources.values(), self.grantees, strict=True)
        return [source for source, grantee in theirs if grantee == f"user:{principal.subject}"]

    async def named(self, tenant: str, name: str) -> Source:
        return next(source for source in self.sources.values() if source.name == name)

    async def add(self, new: NewSource, *, grantee: str, reason: str) -> Source:
        made = Source(
            SourceId(len(self.sources) + 1),
            "local",
            new.name,
            new.kind,
            new.config,
            labels=new.labels,
            language=new.language,
            detects_language=new.detects_language,
        )
        self.sources[made.source_id] = made
        self.grantees.append(grantee)
        return made

    async def change(self, source: Source) -> None:
        self.sources[source.source_id] = source

    async def remove(self, source_id: SourceId) -> None:
        del self.sources[source_id]

    async def switch(self, source: Source, changes: dict[str, Any]) -> None:
        self.switched.append(dict(changes))

    def _passwords(self, source: Source) -> Any:
        recorded = self

        class Passwords:
            async def current(self) -> Credential:
                if source.source_id not in recorded.passwords:
                    raise FatalSourceError("No password is stored.")
                return Credential(source.config["login"], recorded.passwords[source.source_id])

            async def keep(self, login: str, password: str) -> None:
                if not recorded._key:
                    raise ConfigurationError("There is no key.")
                recorded.passwords[source.source_id] = password

        return Passwords()

    def __call__(self, server: str, **options: Any) -> Any:
        """What revokes a password at the server."""
        recorded = self

        class Transport:
            async def send(self, request: HttpRequest) -> HttpResponse:
                recorded.revoked.append(b64decode(request.headers["Authorization"].removeprefix("Basic ")).decode())
                return HttpResponse(200, {}, b"", SERVER)

            async def close(self) -> None:
                pass

        return Transport()


async def test_a_new_account_is_a_source_that_its_owner_alone_may_read() -> None:
    recorded = Recorded()
    source = await recorded.logins.record(ALICE, NEW)
    assert recorded.passwords == {source.source_id: "first"}
    assert [grantee.startswith("user:") for grantee in recorded.grantees] == [True]


async def test_an_account_whose_password_cannot_be_kept_leaves_no_source() -> None:
    recorded = Recorded(key=False)
    with pytest.raises(ConfigurationError):
        await recorded.logins.record(ALICE, NEW)
    assert recorded.sources == {}


async def test_an_account_that_is_added_again_is_the_same_source_with_the_new_password() -> None:
    recorded = Recorded()
    first = await recorded.logins.record(ALICE, NEW)
    again = VerifiedAccount(SERVER, "alice@example", "alice", "second")
    second = await recorded.logins.record(again, NewSource(name="other", kind=NEXTCLOUD, config={**CONFIG, "apps": []}))
    assert (second.source_id, second.name, second.config["sync"]) == (first.source_id, "cloud", True)
    assert recorded.passwords == {first.source_id: "second"}
    assert recorded.switched == [{**CONFIG, "apps": [], "sync": True}]


async def test_adding_an_account_again_changes_its_name_and_labels() -> None:
    recorded = Recorded()
    first = await recorded.logins.record(ALICE, replace(NEW, labels=SourceLabels(("private",), "home")))
    again = replace(ALICE, password="second")
    changed = replace(NEW, name="mine", labels=SourceLabels(("work",), environment="test"))
    source = await recorded.logins.record(again, changed, named=True)
    assert source.source_id == first.source_id
    assert (source.name, source.former_names) == ("mine", ("cloud",))
    assert source.labels == SourceLabels(("work",), "home", "test")
    assert (await recorded.named("local", "mine")).labels.tags == ("work",)
    assert recorded.revoked == ["alice@example:first"]

    same = await recorded.logins.record(again, replace(NEW, name="alice@cloud.example"))
    assert (same.name, same.labels) == ("mine", source.labels)
    assert recorded.revoked == ["alice@example:first"]


async def test_adding_an_account_again_whose_password_was_refused_revokes_none() -> None:
    recorded = Recorded()
    source = await recorded.logins.record(ALICE, NEW)
    del recorded.passwords[source.source_id]
    await recorded.logins.record(replace(ALICE, password="second"), NEW)
    assert recorded.passwords == {source.source_id: "second"}
    assert recorded.revoked == []


@pytest.mark.parametrize(("language", "detects"), [("german", True), ("english", False)])
async def test_adding_an_account_again_in_another_language_is_refused(language: str, *, detects: bool) -> None:
    recorded = Recorded()
    await recorded.logins.record(ALICE, NEW)
    with pytest.raises(InvalidArgument, match="another --language"):
        await recorded.logins.record(
            replace(ALICE, password="second"), replace(NEW, language=language, detects_language=detects)
        )
    assert list(recorded.passwords.values()) == ["first"]
    german = Recorded()
    first = await german.logins.record(ALICE, replace(NEW, language="german"))
    again = await german.logins.record(ALICE, replace(NEW, language="german"))
    assert (again.source_id, again.language) == (first.source_id, "german")


async def test_the_login_of_another_user_renews_no_account() -> None:
    recorded = Recorded()
    source = await recorded.logins.record(ALICE, NEW)
    with pytest.raises(InvalidArgument, match="'bob'"):
        await recorded.logins.renew(source, VerifiedAccount(SERVER, "bob", "bob", "third"))
    assert recorded.passwords == {source.source_id: "first"}


async def test_only_accounts_have_a_login_to_renew() -> None:
    recorded = Recorded()
    await recorded.add(NewSource(name="pages", kind="docs", config={}), grantee="everyone", reason="")
    with pytest.raises(InvalidArgument, match="not a Nextcloud account"):
        await recorded.logins.account_named("pages")


@pytest.mark.requirement("sources-granted-to-people-and-groups")
async def test_an_account_connected_by_a_person_is_theirs_even_if_another_has_the_same() -> None:
    recorded = Recorded()
    mine = await recorded.logins.record(ALICE, NEW)
    theirs = await recorded.logins.record(ALICE, NewSource(name="other", kind=NEXTCLOUD, config=CONFIG), BOB)
    assert mine.source_id != theirs.source_id
    assert recorded.grantees == ["user:owner", "user:token bob"]
    again = await recorded.logins.record(ALICE, NewSource(name="third", kind=NEXTCLOUD, config=CONFIG), BOB)
    assert again.source_id == theirs.source_id


async def test_the_login_of_the_same_user_renews_the_password_of_an_account() -> None:
    recorded = Recorded()
    source = await recorded.logins.record(ALICE, NEW)
    again, settings = await recorded.logins.account_named("cloud")
    assert (again, settings.account.user) == (source, "alice")
    await recorded.logins.renew(again, VerifiedAccount(SERVER, "alice@example", "alice", "second"))
    assert recorded.passwords == {source.source_id: "second"}
