"""Issue 27: languages, scans, and vaults in their apps."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("notes-open-in-their-app", "issue-27 part 3", 27, "A citation of a note opens it in the app of its vault."),
    met("templates-are-left-out", "issue-27 part 3", 27, "A vault's folders of templates are left out and counted."),
    met("daily-notes-have-their-day", "issue-27 part 3", 27, "Daily notes are dated by their names."),
    met("references-are-read", "issue-27 part 3", 27, "BibTeX and CSL files are read, one reference at a time."),
    met(
        "sources-carry-a-note",
        "issue-27 part 3",
        27,
        "A note of the owner about a source is shown to models that may read the source, as the owner's words.",
    ),
)
