"""Issue 26: out in the world, one command on any machine."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "wheel-metadata",
        "issue-26 part 1",
        26,
        "Each package says its source, its Pythons, its systems; links are whole.",
    ),
    met("version-from-one-place", "issue-26 part 4", 26, "The version is written in one place."),
    met("readme-first-lines", "issue-26 part 1", 26, "The README begins with a line for uvx and one for pip."),
    met(
        "demo-answers-and-goes", "issue-26 part 1", 26, "`citemark demo` gives three cited answers and removes itself."
    ),
)
