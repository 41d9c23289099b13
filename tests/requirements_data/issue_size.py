"""Issue 22, parts 6 to 9: a question at size."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "warm-question-few-statements",
        "issue-22 part 6",
        22,
        "A warm question ranks with four statements: no posting list and no words of chunks are read.",
    ),
)
