"""Issue 11: one graph, the part on edges and mentions."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "mentions-reach-earlier-pages",
        "issue-11 part 1",
        11,
        "Mentions are kept with their pages; new names reach pages that were read before.",
    ),
    met(
        "every-edge-kind-in-real-files",
        "issue-11 part 1",
        11,
        "Every kind of edge is found in real files, with the words that state it.",
    ),
    met("mentions-follow-the-rules", "issue-11 part 1", 11, "Mentions are linked by the rules of TOOLS."),
    met(
        "nine-in-ten-mentions-are-right",
        "issue-11 bar",
        11,
        "Nine in ten mentions, drawn by seed, mean what they are linked to.",
    ),
    met(
        "seven-in-ten-mentions-are-found",
        "issue-11 bar",
        11,
        "Seven in ten mentions that a reader would link are found.",
    ),
)
