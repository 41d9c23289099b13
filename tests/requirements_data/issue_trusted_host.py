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
    met(
        "refused-tokens-remembered",
        "issue-21 part 10",
        21,
        "A refused token is remembered by its digest for seconds, and places for look-ups are kept for known tokens.",
    ),
    met(
        "failures-counted-by-address",
        "issue-21 part 10",
        21,
        "401 and 404 count against an address, and where there are too many only known tokens are answered.",
    ),
    met(
        "key-set-without-key-failed",
        "issue-21 part 10",
        21,
        "An answer of a key set without a usable key is a failed fetch, and the known keys stay.",
    ),
    met(
        "introspection-past-exp-refused",
        "issue-21 part 10",
        21,
        "A token whose introspection names an end in the past is refused, even if it is called active.",
    ),
    met("no-ignorable-unseen", "issue-21 bars", 21, "No default-ignorable code point reaches a model unseen."),
)
