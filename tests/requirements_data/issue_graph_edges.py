"""Issue 11: one graph, the part on edges and mentions."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "i11-mentions-kept",
        "issue-11 part 1",
        11,
        "Mentions are kept with their pages; new names reach pages that were read before.",
    ),
    met(
        "i11-edge-kinds",
        "issue-11 part 1",
        11,
        "Every kind of edge is found in real files, with the words that state it.",
    ),
    met("i11-mention-rules", "issue-11 part 1", 11, "Mentions are linked by the rules of TOOLS."),
    met(
        "i11-mention-precision",
        "issue-11 bar",
        11,
        "Nine in ten mentions, drawn by seed, mean what they are linked to.",
    ),
    met("i11-mention-recall", "issue-11 bar", 11, "Seven in ten mentions that a reader would link are found."),
)
