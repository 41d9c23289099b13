"""Issue 18: what belongs in an index, and settings that never destroy."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "gitignore-obeyed",
        "issue-18 part 1",
        18,
        "In a work tree, .gitignore, .ignore and .git/info/exclude are obeyed as git obeys them, from their change on.",
    ),
    met(
        "generated-folders-left-out",
        "issue-18 part 1",
        18,
        "Build outputs, caches, environments and vendored packages are left out where they are such, and nowhere else.",
    ),
    met(
        "exceptions-by-name",
        "issue-18 part 1",
        18,
        "A pattern that spells the name of what is left out brings it in; one of wildcards does not.",
    ),
    met(
        "secrets-never-indexed", "issue-18 part 1", 18, "Keys and credential files are never indexed, and each is told."
    ),
    met(
        "rules-adopted-by-choice",
        "issue-18 part 1",
        18,
        "A source of before keeps its rule, and its person is told once how to adopt the new one.",
    ),
    met(
        "ignored-not-watched",
        "issue-18 part 1",
        18,
        "What is left out is not watched, and a changed .gitignore is followed.",
    ),
    met(
        "developer-folder",
        "issue-18 bars",
        18,
        "Of a developer's folder, all documents of the person are indexed, and of those indexed .98 are the person's.",
    ),
    met(
        "left-out-counted",
        "issue-18 part 2",
        18,
        "Every file is indexed, failed or counted by reason, in add, sync, status and JSON, each with its option.",
    ),
    met(
        "left-out-of-accounts",
        "issue-18 part 2",
        18,
        "Files of an account are counted by reason too: type, size, rule, encrypted, hidden, not to be listed.",
    ),
    met(
        "limits-drop-nothing",
        "issue-18 part 3",
        18,
        "A lower limit of size takes nothing out of an index, and is told.",
    ),
    met(
        "also-adds",
        "issue-18 part 3",
        18,
        "--also adds types and exceptions to what a source takes, and drops nothing.",
    ),
    met(
        "losing-commands-ask",
        "issue-18 part 3",
        18,
        "No command loses more than a tenth of a source, its history or a baseline's without asking or --yes.",
    ),
    met("everything-left-out", "issue-18 part 3", 18, "A source whose settings leave out everything is told that."),
    met("sync-embeds-its-own", "issue-18 part 4", 18, "A named sync embeds its own source and ends when that is done."),
)
