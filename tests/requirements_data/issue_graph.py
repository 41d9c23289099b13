"""Issue 11: one graph."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "i11-3-graph-expanded",
        "issue-11 part 3",
        11,
        "What only an edge finds says graph_expanded, and why.",
    ),
    met("i11-3-verified-path", "issue-11 part 3", 11, "No path runs through what its source does not vouch for."),
    met("i11-3-neighbours", "issue-11 part 3", 11, "Linked chunks are found both ways, bounded, and as of then."),
    met("i11-4-impact", "issue-11 part 4", 11, "Impact: what depends on an element, what mentions any."),
)
