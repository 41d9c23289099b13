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
    met(
        "scans-are-read",
        "issue-27 part 2",
        27,
        "Of ten scanned pages, .95 of the words are read and 8 of 10 questions answered with the page cited.",
    ),
    met(
        "scans-are-asked-for",
        "issue-27 part 2",
        27,
        "Scanned pages and pictures are read only where a source asks for it and what recognises text is installed.",
    ),
    met(
        "scans-by-tesseract",
        "issue-27 part 2",
        27,
        "Where the extra is not installed, the program Tesseract reads scans, with the languages that it has.",
    ),
    met(
        "scans-are-marked",
        "issue-27 part 2",
        27,
        "What was read by OCR says so with its confidence, and is never verified as exact words.",
    ),
    met(
        "every-page-of-a-picture-is-told",
        "issue-27 part 2",
        27,
        "Pages of a picture, such as a fax of more than 200, that are not recognised are counted.",
    ),
    met(
        "scans-of-accounts",
        "issue-27 part 2",
        27,
        "Pictures and scanned pages among the files of a Nextcloud account are read where the account asks for it.",
    ),
    met(
        "multilingual-package",
        "issue-27 part 1",
        27,
        "citemark-multilingual is built from a pinned wheel by its checksum, in our graphs and pieces, and embeds.",
    ),
    met(
        "multilingual-switch-without-a-gap",
        "issue-27 part 1",
        27,
        "A switch to the multilingual model and back leaves no question without an answer from vectors.",
    ),
    met(
        "multilingual-is-offered",
        "issue-27 part 1",
        27,
        "Where over a third of the documents are not in English, add and doctor offer it in a line with the command.",
    ),
    met(
        "multilingual-is-not-loaded-unasked",
        "issue-27 part 1",
        27,
        "A process whose settings and vectors do not name it imports nothing of it.",
    ),
)
