"""Issue 16: reading is complete and changes no meaning."""

from tests.requirements_data.form import Requirement

CLAUSES: tuple[Requirement, ...] = ()
