"""Issue 15: absence is told, never a veto."""

from tests.requirements_data.form import Requirement

CLAUSES: tuple[Requirement, ...] = ()
