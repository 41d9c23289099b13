"""`make cluster`: what a cluster of PostgreSQL, Patroni, etcd and PgBouncer does to Citemark, on loopback.

Exit code 1 when anything is not as it should be.
"""

import argparse
import asyncio
import time

from tests.cluster.failovers import failovers
from tests.cluster.nodes import Cluster, installed
from tests.cluster.processes import running
from tests.cluster.report import failover_report


def main() -> int:
    """Build the cluster and run the scenarios."""
    parser = argparse.ArgumentParser(prog="make cluster", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="seconds within which kills begin")
    parser.add_argument("--kills", type=int, default=0, help="this many kills, however long they take")
    given = parser.parse_args()
    with running() as place:
        cluster = Cluster(place, installed(place.folder))
        try:
            cluster.start()
            _say(f"a primary and two replicas: {cluster.roles()}")
            began = time.monotonic()

            def enough(done: int) -> bool:
                return done >= given.kills if given.kills else time.monotonic() - began >= given.seconds

            found = asyncio.run(failovers(place, cluster, enough, _say))
        except AssertionError:
            _say(place.ends_of_logs())
            raise
    lines, good = failover_report(found)
    _say("\n".join(lines))
    return 0 if good else 1


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - what the command is for


if __name__ == "__main__":
    raise SystemExit(main())
