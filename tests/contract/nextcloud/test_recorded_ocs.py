"""OCS, logins and maintenance of the double against the recorded ones, request by request."""

from collections.abc import Callable

import pytest
from tests.contract.nextcloud.recording import Exchange
from tests.contract.nextcloud.replay import Replay
from tests.nextcloud.server import Nextcloud

pytestmark = pytest.mark.requirement("double-tested-against-recordings")


def test_ocs_and_logins_respond_as_recorded_from_the_real_server(
    recorded: dict[str, list[Exchange]], nextcloud: Nextcloud
) -> None:
    accounts = nextcloud.world.accounts
    replay = Replay(nextcloud)
    real = accounts.people["alice"].password
    password: list[str] = []

    def issue() -> None:
        password[:] = [accounts.issue("alice", "probe")]

    before: dict[str, Callable[[], object]] = {
        "poll after the grant": lambda: nextcloud.world.login.grant("alice"),
        "getapppassword with the real password": lambda: replay.secrets.update(alice=real),
        "the new one works": lambda: replay.secrets.update(alice=issued(nextcloud)),
        "app password as Bearer token (OCS)": lambda: (
            issue(),
            replay.secrets.update(alice=password[0]),
            replay.learnt.update({"alice-app-password-000000001": password[0]}),
        ),
    }
    found: list[str] = []
    for exchange in recorded["ocs"]:
        before.get(exchange.title, lambda: None)()
        found += replay.differences(exchange)
    assert not found, "\n".join(found)


def issued(nextcloud: Nextcloud) -> str:
    """The newest app password of Alice."""
    return list(nextcloud.world.accounts.people["alice"].app_passwords)[-1]


def test_maintenance_has_the_recorded_shapes(recorded: dict[str, list[Exchange]], nextcloud: Nextcloud) -> None:
    nextcloud.world.maintenance = True
    replay = Replay(nextcloud)
    found = [line for exchange in recorded["brute"] for line in replay.differences(exchange)]
    assert not found, "\n".join(found)
