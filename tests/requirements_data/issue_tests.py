"""Issue 13: tests that can fail."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "i13-1-sample",
        "issue-13 part 1",
        13,
        "`make mutants` draws a seeded sample of 400 changes over five rooms and runs the tests that cover each.",
        tests=("tests/mutants/__main__.py", "tests/mutants/attempts.py"),
    ),
    met("i13-1-resumed", "issue-13 part 1", 13, "A run goes on where the last one stopped."),
    met("i13-1-known", "issue-13 part 1", 13, "The survivors that a review found by hand are killed."),
    met("i13-1-page", "issue-13 part 1", 13, "Scores, survivors, and equivalents with their reason stand in docs."),
    met("i13-2-gate", "issue-13 part 2", 13, "Every line of the named rooms is covered, 90 % of the rest."),
    met("i13-2-reasons", "issue-13 part 2", 13, "No line is left out of coverage without a reason beside it."),
    met("i13-mutants-bar", "issue-13 bars", 13, "At least 85 % of the mutants of each room are killed."),
    met(
        "i13-3-clauses",
        "issue-13 part 3",
        13,
        "A sample of fifty clauses, drawn by a seed, is broken by one-line patches; a test that each names turns red.",
        tests=("tests/clauses/__main__.py",),
    ),
    met(
        "i13-4-outside",
        "issue-13 part 4",
        13,
        ".ci/run is make test and make conformance, and nothing that takes hours.",
    ),
    met(
        "i13-4-budget",
        "issue-13 part 4",
        13,
        ".ci/run takes 20 minutes on two quiet cores, the unit suite one.",
        tests=("tests/support/ci_under_load.py",),
    ),
    met(
        "i13-loaded-bar",
        "issue-13 bars",
        13,
        "Five runs of .ci/run beside two busy processes are green.",
        tests=("tests/support/ci_under_load.py",),
    ),
    met("i13-4-python", "issue-13 part 4", 13, "Python 3.11 works, and the newest that the dependencies allow."),
    met("i13-4-lowest", "issue-13 part 4", 13, "The lowest versions that pyproject names run once in make soak."),
    met("i13-5-assert-never", "issue-13 part 5", 13, "Every match says what becomes of what no case names."),
    met("i13-5-failures", "issue-13 part 5", 13, "Failures that callers tell apart have classes with typed arguments."),
)
