"""The double's faults: what a client sees of each."""

import httpx2
import pytest
from tests.nextcloud.faults import Cut, Delay, Html, Reset, Status, Truncate
from tests.nextcloud.files.content import Repeated
from tests.nextcloud.server import Nextcloud

pytestmark = pytest.mark.requirement("double-tested-against-recordings")

_STATUS = "/status.php"


@pytest.fixture
def client(nextcloud: Nextcloud) -> httpx2.Client:
    return httpx2.Client(base_url=nextcloud.url, timeout=5)


def test_a_fault_affects_the_routes_and_times_that_it_names(nextcloud: Nextcloud, client: httpx2.Client) -> None:
    nextcloud.faults.add(Status(503, b"", {"retry-after": "7"}), on=r"GET /status\.php", times=2)
    with client:
        answers = [client.get(_STATUS) for _ in range(3)]
        assert client.get("/login").status_code == 200
    assert [answer.status_code for answer in answers] == [503, 503, 200]
    assert answers[0].headers["retry-after"] == "7"


@pytest.mark.parametrize("effect", [Truncate(), Reset()])
def test_a_broken_connection_is_an_error_and_not_a_short_answer(
    nextcloud: Nextcloud, client: httpx2.Client, effect: Truncate | Reset
) -> None:
    nextcloud.faults.add(effect, on="status", times=1)
    with client:
        with pytest.raises(httpx2.TransportError):
            client.get(_STATUS)
        assert client.get(_STATUS).json()["installed"] is True


def test_an_html_page_or_half_an_answer_can_come_with_status_200(nextcloud: Nextcloud, client: httpx2.Client) -> None:
    nextcloud.faults.add(Html(), times=1)
    nextcloud.faults.add(Cut(0.3), times=1)
    with client:
        page, half = client.get(_STATUS), client.get(_STATUS)
    assert (page.status_code, half.status_code) == (200, 200)
    assert page.text.startswith("<!DOCTYPE html>")
    assert half.text.startswith('{"installed"')
    assert not half.text.endswith("}")


def test_a_delay_outlasts_a_clients_patience(nextcloud: Nextcloud) -> None:
    nextcloud.faults.add(Delay(0.5), times=1)
    with httpx2.Client(base_url=nextcloud.url, timeout=0.1) as client, pytest.raises(httpx2.TimeoutException):
        client.get(_STATUS)


def test_a_share_of_requests_fails_the_same_way_for_the_same_seed(nextcloud: Nextcloud) -> None:
    runs: list[list[str]] = []
    for _ in range(2):
        nextcloud.faults.clear()
        nextcloud.faults.chaos(0.2, seed=7)
        effects = [nextcloud.faults.of(f"GET /{number}") for number in range(1000)]
        runs.append([type(effect).__name__ for effect in effects if effect is not None])
    assert runs[0] == runs[1]
    assert 150 < len(runs[0]) < 250
    assert len(set(runs[0])) == 6


def test_the_log_tells_what_was_asked_by_whom_and_how_much_at_once(nextcloud: Nextcloud, client: httpx2.Client) -> None:
    with client:
        client.get("/apps/notes/api/v1/notes?exclude=content", headers=nextcloud.basic("bob"))
    (seen,) = nextcloud.log.matching(r"GET /apps/notes/.*exclude=content")
    assert (seen.user, seen.status, nextcloud.log.most_at_once()) == ("bob", 200, 1)
    nextcloud.log.clear()
    assert len(nextcloud.log) == 0


def test_a_file_larger_than_memory_is_sent_in_pieces(nextcloud: Nextcloud, client: httpx2.Client) -> None:
    size = 200_000_001
    nextcloud.world.files.put("alice", "/big.txt", Repeated(b"0123456789", size))
    path, login = "/remote.php/dav/files/alice/big.txt", nextcloud.basic("alice")
    with client:
        with client.stream("GET", path, headers=login) as answer:
            assert answer.headers["content-length"] == str(size)
            assert next(answer.iter_bytes(20)) == b"01234567890123456789"
        assert client.get(path, headers={**login, "range": "bytes=65534-65541"}).text == "45678901"
