"""Issue 13: tests that can fail."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "i13-3-clauses",
        "issue-13 part 3",
        13,
        "A sample of fifty clauses, drawn by a seed, is broken by one-line patches; a test that each names turns red.",
        tests=("tests/clauses/__main__.py",),
    ),
    met("i13-5-assert-never", "issue-13 part 5", 13, "Every match says what becomes of what no case names."),
    met("i13-5-failures", "issue-13 part 5", 13, "Failures that callers tell apart have classes with typed arguments."),
)
