"""Issue 13: tests that can fail."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "mutants-drawn-by-seed",
        "issue-13 part 1",
        13,
        "`make mutants` draws a seeded sample of 400 changes over five rooms and runs the tests that cover each.",
        tests=("tests/mutants/__main__.py", "tests/mutants/attempts.py"),
    ),
    met("mutant-run-resumes", "issue-13 part 1", 13, "A run goes on where the last one stopped."),
    met("known-survivors-are-killed", "issue-13 part 1", 13, "The survivors that a review found by hand are killed."),
    met(
        "mutant-scores-stand-in-docs",
        "issue-13 part 1",
        13,
        "Scores, survivors, and equivalents with their reason stand in docs.",
    ),
    met(
        "named-rooms-fully-covered",
        "issue-13 part 2",
        13,
        "Every line of the named rooms is covered, 90 % of the rest.",
    ),
    met(
        "uncovered-lines-have-reasons",
        "issue-13 part 2",
        13,
        "No line is left out of coverage without a reason beside it.",
    ),
    met("most-mutants-are-killed", "issue-13 bars", 13, "At least 85 % of the mutants of each room are killed."),
    met(
        "fifty-clauses-broken-turn-tests-red",
        "issue-13 part 3",
        13,
        "A sample of fifty clauses, drawn by a seed, is broken by one-line patches; a test that each names turns red.",
        tests=("tests/clauses/__main__.py",),
    ),
    met(
        "ci-runs-nothing-that-takes-hours",
        "issue-13 part 4",
        13,
        ".ci/run is make test and make conformance, and nothing that takes hours.",
    ),
    met(
        "ci-keeps-its-time",
        "issue-13 part 4",
        13,
        ".ci/run takes 20 minutes on two quiet cores, the unit suite one.",
        tests=("tests/support/ci_under_load.py",),
    ),
    met(
        "ci-is-green-under-load",
        "issue-13 bars",
        13,
        "Five runs of .ci/run beside two busy processes are green.",
        tests=("tests/support/ci_under_load.py",),
    ),
    met(
        "oldest-and-newest-python-work",
        "issue-13 part 4",
        13,
        "Python 3.11 works, and the newest that the dependencies allow.",
    ),
    met(
        "lowest-dependency-versions-run",
        "issue-13 part 4",
        13,
        "The lowest versions that pyproject names run once in make soak.",
    ),
    met("every-match-covers-every-case", "issue-13 part 5", 13, "Every match says what becomes of what no case names."),
    met(
        "failures-have-typed-classes",
        "issue-13 part 5",
        13,
        "Failures that callers tell apart have classes with typed arguments.",
    ),
)
