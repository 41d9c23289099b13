"""Issue 15: absence is told, never a veto."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("R22-own-score", "issue-15 part 2", 15, "No gate but its own score keeps a hit from being shown."),
    met("R22-further-phrasings", "issue-15 part 2", 15, "A further phrasing lowers no score and removes no hit."),
)
