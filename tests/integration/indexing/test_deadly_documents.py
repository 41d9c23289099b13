"""A document that kills the process which reads it is given up after five of them, and takes no other with it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.index import Index
from tests.support.patience import HANG_SECONDS

from citemark.model.ledger import Backlog
from citemark.store.database import Database

NAMES = [f"{n:02}.md" for n in range(40)]
DEADLY = "07.md"


def read_all(dsn: str) -> int:
    """Run one process over the queue; its exit code."""
    script = Path(__file__).with_name("deadly_worker.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, str(script), dsn, "docs", DEADLY, *NAMES]
    return subprocess.run(command, env=environment, check=False, timeout=HANG_SECONDS).returncode


@pytest.mark.requirement("failing-version-is-parked-and-shown", "deadly-document-takes-no-other-along")
async def test_a_document_that_kills_its_workers_is_parked_and_all_others_are_read(
    database: Database, dsn: str
) -> None:
    index = Index(database)
    source = await index.source()
    for name in NAMES:
        await index.want(source.source_id, name, "1")
    ends: list[int] = []
    while not ends or ends[-1] != 0:
        assert len(ends) < 6, "the document was read for ever"
        ends.append(read_all(dsn))
    assert ends == [-signal.SIGKILL] * 5 + [0]
    indexed = {row[0] for row in await index.rows("SELECT native_id FROM document WHERE page_id IS NULL")}
    assert indexed == set(NAMES) - {DEADLY}
    assert await index.stores.ledger.backlog([source.source_id]) == Backlog(0, 1, None)
    (status,) = await index.stores.status.sources("local", 0)
    assert (status.failed, status.problems) == (1, 1)
    (problem,) = await index.stores.sources.problems(source.source_id)
    assert (problem.native_id, problem.stage) == (DEADLY, "text")
    assert "died or hung, 5 times" in problem.message
    await index.want(source.source_id, DEADLY, "2")
    (claim,) = await index.claim(source.source_id)
    assert (claim.native_id, claim.tries) == (DEADLY, 0)


@pytest.mark.requirement("deadly-document-takes-no-other-along")
async def test_documents_leased_together_by_dead_workers_are_read_one_by_one(database: Database) -> None:
    index = Index(database)
    source = await index.source()
    for name in ("a.md", "b.md", "c.md"):
        await index.want(source.source_id, name, "1")
    assert len(await index.claim(source.source_id, worker="dead")) == 3
    await index.stores.ledger.lost(workers=["dead"])
    await index.want(source.source_id, "fresh.md", "1")
    (fresh,) = await index.claim(source.source_id, worker="one")
    assert (fresh.native_id, fresh.tries) == ("fresh.md", 0)
    (first,) = await index.claim(source.source_id, worker="two")
    assert first.tries == 1
    assert await index.claim(source.source_id, worker="three") == []
    await index.stores.ledger.release("two")
    assert len(await index.claim(source.source_id, worker="three")) == 1


async def test_a_worker_that_renews_its_lease_keeps_it(database: Database) -> None:
    index = Index(database)
    source = await index.source()
    await index.want(source.source_id, "slow.md", "1")
    assert len(await index.stores.ledger.claim([source.source_id], "slow", limit=1, lease=-1)) == 1
    await index.stores.ledger.renew("slow", 60)
    assert await index.claim(source.source_id, worker="eager") == []
    (kept,) = await index.claim(source.source_id, worker="slow")
    assert kept.tries == 0
