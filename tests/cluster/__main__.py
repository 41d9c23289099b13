"""`make cluster`: Citemark over a cluster of PostgreSQL on loopback, beside a single server; then leaders are killed.

Exit code 1 when a bar is missed or an answer was wrong.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable

from tests.cluster.comparison import compared
from tests.cluster.failovers import failovers
from tests.cluster.installation import Installation
from tests.cluster.load import Documents
from tests.cluster.nodes import Cluster, NotBuilt, installed
from tests.cluster.processes import Running, running
from tests.cluster.report import comparison_report, failover_report

_DOCUMENTS = 60
_COMPARING = 0.5  # the share of the time for what is compared


def main() -> int:
    """Build the cluster and run the scenarios."""
    parser = argparse.ArgumentParser(prog="make cluster", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="seconds of all scenarios; 600 by default")
    parser.add_argument("--kills", type=int, help="this many kills, however long they take")
    parser.add_argument("--only", choices=("comparison", "failovers"), help="one scenario alone")
    given = parser.parse_args()
    try:
        with running() as place:
            cluster = Cluster(place, installed(place.folder))
            try:
                cluster.start()
                _say(f"a primary and two replicas: {cluster.roles()}")
                return _scenarios(place, cluster, given)
            except AssertionError:
                _say(place.ends_of_logs())
                raise
    except NotBuilt as error:
        _say(str(error))
        return 1
    except KeyboardInterrupt:
        _say("ended; nothing is left of it")
        return 130


def _scenarios(place: Running, cluster: Cluster, given: argparse.Namespace) -> int:
    installation = Installation(place, "cluster", cluster.addresses)
    documents = Documents(place.folder / "docs", _DOCUMENTS)
    installation.start(documents.folder, each=2)
    good = True
    began = time.monotonic()
    if given.only != "failovers":
        seconds = given.seconds * (_COMPARING if given.only is None else 1.0)
        found = asyncio.run(compared(place, cluster, installation, documents, seconds))
        good &= _reported(comparison_report(found))
    if given.only != "comparison":
        enough = _enough(began, given.seconds, given.kills)
        good &= _reported(failover_report(asyncio.run(failovers(cluster, installation, documents, enough, _say))))
    return 0 if good else 1


def _enough(began: float, seconds: float, kills: int | None) -> Callable[[int], bool]:
    """Whether so many kills are enough: all that were wanted or, if that is not said, those that time allows."""

    def enough(done: int) -> bool:
        if kills is not None:
            return done >= kills
        each = (time.monotonic() - began) / max(done, 1)
        return done > 0 and time.monotonic() - began + each / 2 > seconds

    return enough


def _reported(report: tuple[list[str], bool]) -> bool:
    lines, good = report
    _say("\n".join(lines))
    return good


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
