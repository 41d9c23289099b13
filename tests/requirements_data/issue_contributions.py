"""Issue 19: features become contributions."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "source-kinds-are-values",
        "issue-19 part 3",
        19,
        "No code outside its feature compares the kind of a source with a name; a value describes each kind.",
    ),
)
