"""Background work that fails is begun again, whatever it failed with."""

import asyncio
from itertools import count

from structlog.testing import capture_logs
from tests.support.virtual_time import virtual_loop

from citemark.app.sustained_work import sustained
from citemark.model.errors import BackendUnavailable, TimedOut


def test_work_that_fails_is_begun_again_after_a_pause_and_the_log_says_why() -> None:
    failures = [BackendUnavailable("It went away."), TimedOut("It took too long."), ZeroDivisionError()]
    begun: list[float] = []

    async def work() -> None:
        begun.append(asyncio.get_running_loop().time())
        if len(begun) <= len(failures):
            raise failures[len(begun) - 1]
        for _ in count():
            await asyncio.sleep(3600)

    async def a_day() -> None:
        task = asyncio.create_task(sustained(work, "purge"))
        await asyncio.sleep(86_400)
        task.cancel()

    with capture_logs() as logged, asyncio.Runner(loop_factory=virtual_loop) as runner:
        runner.run(a_day())
    assert begun == [0, 30, 60, 90]
    assert [(entry["event"], entry.get("reason")) for entry in logged] == [
        ("waiting_for_database", "It went away."),
        ("waiting_for_database", "It took too long."),
        ("background_work_failed", None),
    ]
    assert {entry["action"] for entry in logged} == {"purge"}
