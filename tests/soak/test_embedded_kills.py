"""Processes that use one embedded server, killed at random with it: nothing committed is lost, nothing hangs."""

import os
import random
import signal
import time
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from tests.integration.store.embedded_support import User, clean_up
from tests.support.postgres import reachable_folder

from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.postmaster import is_server_of, read_pid_file, send, server_processes

STEPS = 1500 if os.environ.get("CITEMARK_SOAK") else 30
_USERS = 3


class Chaos:
    """A few users of one data folder, and what may happen to them."""

    def __init__(self, data_dir: Path, seed: int) -> None:
        self.data_dir = data_dir
        self.cluster = DataFolder(data_dir).cluster
        self.random = random.Random(seed)
        self.users = [User(data_dir) for _ in range(_USERS)]
        self.committed = 0

    def step(self) -> None:
        place = self.random.randrange(_USERS)
        actions = (self.write, self.write, self.release, self.race, self.kill_user, self.kill_in_the_act)
        self.random.choice((*actions, self.kill_server, self.kill_any_process))(place)

    def ask(self, place: int, word: str) -> str | None:
        answer = self.users[place].ask(word)
        assert "error" not in answer, answer
        return answer["dsn"]

    def release(self, place: int) -> None:
        self.ask(place, "release")

    def race(self, _: int) -> None:
        for user in self.users:
            user.send("acquire")
        answers = [user.answer() for user in self.users]
        assert len({answer.get("pid") for answer in answers}) == 1, answers

    def replace(self, place: int) -> None:
        self.users[place].kill()
        self.users[place] = User(self.data_dir)

    def kill_user(self, place: int) -> None:
        self.replace(place)

    def kill_in_the_act(self, place: int) -> None:
        self.users[place].send(self.random.choice(("acquire", "release")))
        time.sleep(self.random.random() * 0.15)  # the moment of the kill is what is sampled
        self.replace(place)

    def kill_server(self, _: int) -> None:
        found = read_pid_file(self.cluster)
        if found is not None and is_server_of(found.pid, self.cluster):
            send(found.pid, signal.SIGKILL)

    def kill_any_process(self, _: int) -> None:
        if pids := server_processes(self.cluster):
            send(self.random.choice(pids), signal.SIGKILL)

    def write(self, place: int) -> None:
        """One more row; a commit whose answer was lost may or may not have happened."""
        dsn = self.ask(place, "acquire")
        assert dsn
        try:
            with psycopg.connect(dsn) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS kept (n int)")
                row = connection.execute("SELECT count(*) FROM kept").fetchone()
                assert row is not None
                assert row[0] in (self.committed, self.committed + 1)
                self.committed = row[0]
                connection.execute("INSERT INTO kept VALUES (1)")
            self.committed += 1
        except psycopg.OperationalError:  # a kill of the step before took effect only now
            return


@pytest.fixture
def chaos(request: pytest.FixtureRequest) -> Generator[Chaos, None, None]:
    folder = reachable_folder()
    chaos = Chaos(folder / "data", request.param)
    yield chaos
    for user in chaos.users:
        user.kill()
    clean_up(folder)


@pytest.mark.parametrize("chaos", [20_601], indirect=True)
@pytest.mark.timeout(3600 if os.environ.get("CITEMARK_SOAK") else 600)
def test_kills_at_random_lose_nothing_and_block_no_one(chaos: Chaos) -> None:
    for _ in range(STEPS):
        chaos.step()
    chaos.write(0)
    assert chaos.committed > 0
