"""Issue 16: reading is complete and changes no meaning."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "a-version-for-each-reader",
        "issue-16 item 12",
        16,
        "A format that is new or mended reads its own files again, parked ones included, and no others.",
    ),
)
