"""Issue 18: what belongs in an index, and settings that never destroy."""

from tests.requirements_data.form import Requirement

CLAUSES: tuple[Requirement, ...] = ()
