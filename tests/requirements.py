"""Every clause of the founding documents, the rulings and the issues, and where each stands.

A clause that several places ask for is one entry that cites them all, each with a page under `docs/founding`.
Tests name a clause with `@pytest.mark.requirement("its-id")`; `tests/unit/test_requirements.py` checks both ways.
`python -m tests.requirements` prints the counts, with an issue's number its planned clauses (0: no issue yet), with
`ripe` the planned clauses that tests name already, and with the name of a clause what it says and which pages it cites.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.requirements_data import (
    adr008,
    adr009,
    decisions_new,
    decisions_nextcloud,
    decisions_protocol,
    decisions_retrieval,
    issue_absence,
    issue_answers,
    issue_belonging,
    issue_breadth,
    issue_bytes,
    issue_clients,
    issue_cluster,
    issue_contributions,
    issue_evidence,
    issue_first_answer,
    issue_graph,
    issue_graph_edges,
    issue_grpc,
    issue_history,
    issue_hostile,
    issue_nextcloud,
    issue_out,
    issue_page,
    issue_people,
    issue_quotes,
    issue_reading,
    issue_size,
    issue_spine,
    issue_surface,
    issue_tests,
    issue_trusted_host,
    issue_trusted_nextcloud,
    issue_wishes,
    kb_house,
    kb_surface,
    s535,
    tools,
)
from tests.requirements_data.form import ISSUES, Requirement, Status
from tests.requirements_data.marks import marks_under
from tests.requirements_data.report import counts, explained, owed, planned_of, ripe

__all__ = ["ISSUES", "REQUIREMENTS", "Requirement", "Status", "report"]

REQUIREMENTS: tuple[Requirement, ...] = (
    *adr008.CLAUSES,
    *adr009.CLAUSES,
    *s535.CLAUSES,
    *kb_surface.CLAUSES,
    *kb_house.CLAUSES,
    *decisions_protocol.CLAUSES,
    *decisions_retrieval.CLAUSES,
    *decisions_nextcloud.CLAUSES,
    *tools.CLAUSES,
    *issue_size.CLAUSES,
    *issue_spine.CLAUSES,
    *issue_surface.CLAUSES,
    *issue_breadth.CLAUSES,
    *issue_nextcloud.CLAUSES,
    *issue_answers.CLAUSES,
    *issue_clients.CLAUSES,
    *issue_graph.CLAUSES,
    *issue_grpc.CLAUSES,
    *issue_people.CLAUSES,
    *issue_hostile.CLAUSES,
    *issue_evidence.CLAUSES,
    *issue_first_answer.CLAUSES,
    *issue_history.CLAUSES,
    *issue_graph_edges.CLAUSES,
    *issue_quotes.CLAUSES,
    *issue_tests.CLAUSES,
    *issue_trusted_nextcloud.CLAUSES,
    *issue_wishes.CLAUSES,
    *issue_absence.CLAUSES,
    *issue_reading.CLAUSES,
    *issue_bytes.CLAUSES,
    *issue_belonging.CLAUSES,
    *issue_contributions.CLAUSES,
    *issue_out.CLAUSES,
    *issue_cluster.CLAUSES,
    *issue_page.CLAUSES,
    *issue_trusted_host.CLAUSES,
    *decisions_new.CLAUSES,
)


def report(arguments: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines to print for the words of the command line."""
    match list(arguments):
        case []:
            yield from counts(REQUIREMENTS)
            yield from owed(REQUIREMENTS)
        case ["ripe"]:
            yield from ripe(REQUIREMENTS, marks_under(Path(__file__).parent))
        case [issue] if issue.isdecimal():
            yield from planned_of(REQUIREMENTS, int(issue))
        case [name] if any(entry.id == name for entry in REQUIREMENTS):
            yield from explained(next(entry for entry in REQUIREMENTS if entry.id == name))
        case _:
            yield "usage: python -m tests.requirements [ISSUE | ripe | NAME OF A CLAUSE]"


if __name__ == "__main__":
    print("\n".join(report(sys.argv[1:])))  # noqa: T201 - a report for the terminal
