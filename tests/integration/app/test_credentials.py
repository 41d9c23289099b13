"""Stored credentials: encrypted, given up at the first refusal by every process, renewed for all."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.fernet import Fernet, InvalidToken
from tests.support.index import Index

from citemark.features.nextcloud.credentials import CredentialCipher, StoredCredentials, rotate_key
from citemark.features.nextcloud.source.client import Attempt
from citemark.model.clock import Clock
from citemark.model.errors import ConfigurationError, FatalSourceError
from citemark.model.sources import NewSource, Source
from citemark.settings import Settings
from citemark.store.database import Database


@pytest.fixture
async def source(database: Database) -> Source:
    return await Index(database).source("alice@cloud")


NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)


def process(
    database: Database, source: Source, settings: Settings, clock: Clock = lambda: NOON, *, asked: bool = False
) -> StoredCredentials:
    """The credentials as another process would open them."""
    secrets, cipher = Index(database).stores.secrets, CredentialCipher(settings)
    return StoredCredentials(source.source_id, source.name, secrets, cipher, clock, asked=asked)


@pytest.mark.requirement("app-passwords-encrypted-at-rest")
async def test_a_password_is_stored_encrypted_and_its_key_is_readable_only_by_the_owner(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    await process(database, source, settings).keep("alice", "open sesame")
    kept = await process(database, source, settings).current()
    assert (kept.login, kept.password) == ("alice", "open sesame")
    assert "sesame" not in repr(kept)
    stored = await Index(database).value("SELECT sealed FROM source_secret")
    assert b"sesame" not in bytes(stored)
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["secret.key"]  # noqa: PTH208 - a name is all that is asked


@pytest.mark.requirement("first-401-stops-a-credential")
async def test_a_refused_password_is_not_used_again_by_any_process_or_after_a_restart(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    one = process(database, source, settings)
    await one.keep("alice", "first")
    await one.refuse(await one.current())
    for each in (one, process(database, source, settings)):
        with pytest.raises(FatalSourceError, match="citemark login alice@cloud"):
            await each.current()
    await process(database, source, settings).keep("alice", "second")
    assert (await one.current()).password == "second"


async def refused_at(database: Database, source: Source, settings: Settings, moment: datetime) -> None:
    """The first refusal of a password."""
    held = process(database, source, settings, lambda: moment)
    await held.refuse(await held.current())


async def may_try(
    database: Database, source: Source, settings: Settings, moment: datetime, *, asked: bool = False
) -> bool:
    """Whether a process may try the refused password at this moment; if it may, the server refuses it again."""
    held = process(database, source, settings, lambda: moment, asked=asked)
    try:
        credential = await held.current()
    except FatalSourceError:
        return False
    assert credential.attempt in ({Attempt.ASKED, Attempt.DUE} if asked else {Attempt.DUE})
    await held.refuse(credential)
    return True


@pytest.mark.requirement("refused-password")
@pytest.mark.requirement("refused-passwords-tried-few-a-day")
async def test_a_refused_password_is_tried_again_ever_later_and_at_most_four_times_a_day(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    await process(database, source, settings).keep("alice", "first")
    await refused_at(database, source, settings, NOON)
    minutes = [
        minute
        for minute in range(3 * 24 * 60)
        if await may_try(database, source, settings, NOON + timedelta(minutes=minute))
    ]
    assert minutes[:3] == [2, 17, 137]
    for day in range(3):
        assert len([minute for minute in minutes if 0 <= minute - day * 24 * 60 < 24 * 60]) <= 4
    assert minutes[-1] > 2 * 24 * 60, "it is never given up for good"


@pytest.mark.requirement("asking-people-get-an-immediate-try")
async def test_a_person_who_asks_gets_a_try_at_once_and_never_the_last_of_a_day(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    await process(database, source, settings).keep("alice", "first")
    await refused_at(database, source, settings, NOON)
    asked = [await may_try(database, source, settings, NOON + timedelta(seconds=n), asked=True) for n in range(60)]
    assert asked == [True] * 3 + [False] * 57
    assert await may_try(database, source, settings, NOON + timedelta(minutes=2)), "asking does not put it off"
    tomorrow = NOON + timedelta(days=1, minutes=3)
    assert await may_try(database, source, settings, tomorrow, asked=True)


@pytest.mark.requirement("refused-passwords-tried-few-a-day")
async def test_the_tries_of_all_accounts_of_a_server_are_counted_together(database: Database, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    sources = Index(database).stores.sources
    names = ["alice", "bob", "carol", "dora", "eve", "fred"]
    accounts = [
        await sources.add(NewSource(name, "nextcloud", {"server": f"https://cloud.example.org{path}"}))
        for name, path in zip(names, ["", "", "", "", "", "/nextcloud"], strict=True)
    ]
    other = await sources.add(NewSource("gus", "nextcloud", {"server": "https://other.example.org"}))
    for account in (*accounts, other):
        await process(database, account, settings).keep(account.name, "first")
        await refused_at(database, account, settings, NOON)
    later = NOON + timedelta(hours=1)
    assert [await may_try(database, account, settings, later) for account in accounts] == [True] * 4 + [False] * 2
    assert await may_try(database, other, settings, later)


@pytest.mark.requirement("first-401-is-one-request")
async def test_one_process_tries_a_refused_password_and_the_others_wait_for_what_it_hears(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    await process(database, source, settings).keep("alice", "first")
    await refused_at(database, source, settings, NOON)
    later = NOON + timedelta(minutes=3)
    one = process(database, source, settings, lambda: later)
    credential = await one.current()
    assert not await may_try(database, source, settings, later)
    await one.tried(credential, accepted=True)
    assert (await process(database, source, settings).current()).attempt is None


async def test_a_try_without_an_answer_costs_none_of_the_few_of_a_day_and_is_repeated_a_minute_later(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    await process(database, source, settings).keep("alice", "first")
    await refused_at(database, source, settings, NOON)
    for minute in range(3, 20):
        held = process(database, source, settings, lambda now=NOON + timedelta(minutes=minute): now)
        await held.tried(await held.current(), accepted=False)
    with pytest.raises(FatalSourceError, match="tried again after 2026-11-25 12:20 UTC"):
        await process(database, source, settings, lambda: NOON + timedelta(minutes=19, seconds=30)).current()


async def test_a_late_rejection_of_the_old_password_does_not_block_the_new_one(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    one = process(database, source, settings)
    await one.keep("alice", "first")
    old = await one.current()
    await process(database, source, settings).keep("alice", "second")
    await one.refuse(old)
    assert (await one.current()).password == "second"


async def test_a_changed_key_is_distinguished_from_a_refusal(
    database: Database, source: Source, tmp_path: Path
) -> None:
    shared = Settings(data_dir=tmp_path, secret_key=Fernet.generate_key().decode())  # type: ignore[arg-type]
    await process(database, source, shared).keep("alice", "first")
    assert (await process(database, source, shared).current()).password == "first"
    assert not os.listdir(tmp_path)  # noqa: PTH208 - a name is all that is asked
    with pytest.raises(FatalSourceError, match="CITEMARK_SECRET_KEY"):
        await process(database, source, Settings(data_dir=tmp_path)).current()


async def test_a_malformed_key_is_refused_with_the_name_of_its_setting(
    database: Database, source: Source, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="CITEMARK_SECRET_KEY is not a key"):
        await process(database, source, Settings(data_dir=tmp_path, secret_key="short")).keep("alice", "x")  # type: ignore[arg-type]
    (tmp_path / "secret.key").write_text("broken")
    with pytest.raises(ConfigurationError, match=r"secret\.key is not a key"):
        await process(database, source, Settings(data_dir=tmp_path)).keep("alice", "x")


async def test_a_source_without_a_password_says_how_to_log_in(
    database: Database, source: Source, tmp_path: Path
) -> None:
    with pytest.raises(FatalSourceError, match="citemark login"):
        await process(database, source, Settings(data_dir=tmp_path)).current()


@pytest.mark.requirement("password-key-can-be-rotated")
async def test_rotating_the_key_leaves_every_password_readable_also_in_servers_that_run(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    other = await Index(database).source("bob@cloud")
    running = process(database, source, settings)
    await running.keep("alice", "open sesame")
    await process(database, other, settings).keep("bob", "friend")
    key = (tmp_path / "secret.key").read_bytes()
    assert await rotate_key(Index(database).stores.secrets, CredentialCipher(settings)) == 2
    assert key not in (tmp_path / "secret.key").read_bytes()
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["secret.key"]  # noqa: PTH208 - a name is all that is asked
    with pytest.raises(InvalidToken):
        Fernet(key).decrypt(bytes(await Index(database).value("SELECT sealed FROM source_secret LIMIT 1")))
    assert (await process(database, other, settings).current()).password == "friend"
    assert (await running.current()).password == "open sesame"
    await running.keep("alice", "third")
    assert (await process(database, source, settings).current()).password == "third"


@pytest.mark.requirement("password-key-can-be-rotated")
async def test_a_rotation_that_was_stopped_loses_nothing_and_is_finished_by_the_next(
    database: Database, source: Source, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path)
    await process(database, source, settings).keep("alice", "open sesame")
    CredentialCipher(settings).add_key()
    assert (await process(database, source, settings).current()).password == "open sesame"
    await rotate_key(Index(database).stores.secrets, CredentialCipher(settings))
    assert (await process(database, source, settings).current()).password == "open sesame"
    assert len((tmp_path / "secret.key").read_bytes().split()) == 1


@pytest.mark.requirement("password-key-can-be-rotated")
async def test_keys_of_the_settings_are_rotated_by_naming_the_new_one_before_the_old(
    database: Database, source: Source, tmp_path: Path
) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    before, both, after = (Settings(data_dir=tmp_path, secret_key=key) for key in (old, f"{new} {old}", new))  # pyright: ignore[reportArgumentType]
    await process(database, source, before).keep("alice", "open sesame")
    assert await rotate_key(Index(database).stores.secrets, CredentialCipher(both)) == 1
    assert (await process(database, source, after).current()).password == "open sesame"
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - there is no file
