"""An address may fail a number of times at once, and then once in a second."""

from dataclasses import dataclass

import pytest

from citemark.services.people.failed_requests import FailedRequests


@dataclass
class Stopped:
    """A clock that a test puts on."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def failed(times: int, address: str, clock: Stopped) -> FailedRequests:
    failures = FailedRequests(clock)
    for _ in range(times):
        failures.wait_for_turn(address)
    return failures


@pytest.mark.requirement("failures-counted-by-address")
def test_after_sixty_failures_an_address_waits_a_second_for_each_more() -> None:
    clock = Stopped()
    assert failed(59, "10.0.0.1", clock).wait_for_turn("10.0.0.1") == 0
    failures = failed(60, "10.0.0.1", clock)
    assert failures.wait_for_turn("10.0.0.1") == 1
    clock.now += 1
    assert failures.wait_for_turn("10.0.0.1") == 0
    assert failures.wait_for_turn("10.0.0.1") == 1
    clock.now += 3600
    assert [failures.wait_for_turn("10.0.0.1") for _ in range(61)] == [0] * 60 + [1]


@pytest.mark.requirement("failures-counted-by-address")
def test_a_request_that_succeeded_does_not_count() -> None:
    failures = failed(60, "10.0.0.1", Stopped())
    failures.succeeded("10.0.0.1")
    assert [failures.wait_for_turn("10.0.0.1") for _ in range(2)] == [0, 1]
    for _ in range(100):
        failures.succeeded("10.0.0.1")
    assert [failures.wait_for_turn("10.0.0.1") for _ in range(61)] == [0] * 60 + [1]


@pytest.mark.requirement("failures-counted-by-address")
def test_another_address_is_not_affected() -> None:
    assert failed(500, "10.0.0.1", Stopped()).wait_for_turn("10.0.0.2") == 0


@pytest.mark.requirement("failures-counted-by-address")
@pytest.mark.parametrize(
    ("address", "same", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"),
        ("fe80::1%eth0", "fe80::2%eth0", "fe81::1"),
        ("::ffff:10.0.0.1", "10.0.0.1", "::ffff:10.0.0.2"),
        ("no:address", "no:address", "no:other"),
    ],
)
def test_the_addresses_of_one_network_count_as_one(address: str, same: str, other: str) -> None:
    failures = failed(60, address, Stopped())
    assert failures.wait_for_turn(same) > 0
    assert failures.wait_for_turn(other) == 0
