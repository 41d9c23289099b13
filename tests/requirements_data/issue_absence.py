"""Issue 15: absence is told, never a veto."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("R22-own-score", "issue-15 part 2", 15, "No gate but its own score keeps a hit from being shown."),
    met("R22-further-phrasings", "issue-15 part 2", 15, "A further phrasing lowers no score and removes no hit."),
    met(
        "figures-in-every-form",
        "issue-15 part 4",
        15,
        "A date or number of the question matches every form in which it is written.",
    ),
    met(
        "figures-choose-among-siblings",
        "issue-15 part 4",
        15,
        "A date or number of the question chooses among near-identical passages.",
    ),
    met(
        "figures-decide-the-excerpt",
        "issue-15 part 4",
        15,
        "The excerpt that is shown contains the date or number that is asked for.",
    ),
    met(
        "grammar-is-not-missing",
        "issue-15 part 4",
        15,
        "Words that only ask, and those of the other language's grammar, do not count as words that nothing contains.",
    ),
)
