"""One failover of a cluster under load: a tenth of `make cluster`."""

import os
from collections.abc import Generator

import pytest
from tests.cluster.failovers import failovers
from tests.cluster.installation import Installation
from tests.cluster.load import Documents
from tests.cluster.nodes import Cluster, NotBuilt, installed
from tests.cluster.processes import Running, running
from tests.cluster.report import failover_report

LONG = bool(os.environ.get("CITEMARK_SOAK"))

pytestmark = pytest.mark.skipif(not LONG, reason="a failover under Patroni takes two minutes: `make soak` runs it")


@pytest.fixture
def place() -> Generator[Running]:
    """A place for the programs of a cluster."""
    with running() as made:
        yield made


@pytest.fixture
def cluster(place: Running) -> Cluster:
    """A primary under Patroni, two replicas, etcd and PgBouncer."""
    try:
        made = Cluster(place, installed(place.folder))
    except NotBuilt as error:
        pytest.skip(str(error))
    made.start()
    return made


@pytest.mark.requirement("nothing-lost-by-a-failover")
async def test_after_the_leader_is_killed_under_load_nothing_is_lost_stale_or_doubled(
    place: Running, cluster: Cluster
) -> None:
    installation = Installation(place, "cluster", cluster.addresses)
    documents = Documents(place.folder / "docs", 30)
    installation.start(documents.folder, each=2)
    found = await failovers(cluster, installation, documents, lambda done: done == 1, lambda line: None)
    lines, good = failover_report(found)
    assert good, "\n".join(lines)
