"""Issue 17: few bytes, both sides of a question, honest answers, today."""

from tests.requirements_data.form import Requirement

CLAUSES: tuple[Requirement, ...] = ()
