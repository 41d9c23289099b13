"""Issue 21, parts 9 to 14: hidden text, floods, odd repositories, and what an install executes."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "hidden-characters-shown",
        "issue-21 part 9",
        21,
        "Characters that nobody sees are shown by number wherever text is shown, unless a script or emoji needs them.",
    ),
    met(
        "shown-quote-verified",
        "issue-21 part 9",
        21,
        "The stored text keeps its hidden characters, and verify_quote accepts the words as they were shown.",
    ),
    met("no-ignorable-unseen", "issue-21 bars", 21, "No default-ignorable code point reaches a model unseen."),
)
