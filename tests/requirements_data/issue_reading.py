"""Issue 16: reading is complete and changes no meaning."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "damaged-utf-8-is-utf-8",
        "issue-16 part 3",
        16,
        "A file in UTF-8 with a few damaged bytes keeps every other character, and says how many are damaged.",
    ),
    met(
        "encodings-by-what-fits",
        "issue-16 part 3",
        16,
        "Bytes that are not UTF-8 are read as declared, as UTF-16, or as their words show, else they are a problem.",
    ),
    met(
        "mail-in-any-charset",
        "issue-16 part 3",
        16,
        "Parts of mails are read in the charset that they declare, code pages and UTF-7 included.",
    ),
    met(
        "what-is-left-out-is-listed",
        "issue-16 part 5",
        16,
        "`problems` lists what was left out of each file by kind, and which files were not plain UTF-8, as notices.",
    ),
    met(
        "form-values-and-annotations-of-pdf",
        "issue-16 part 5",
        16,
        "Values of form fields with their labels, typed text and comments of a PDF are text.",
    ),
    met(
        "invitations-are-read",
        "issue-16 part 5",
        16,
        "An invitation in a mail is read by the calendar reader, once.",
    ),
    met(
        "attachments-are-sections",
        "issue-16 part 5",
        16,
        "Attachments are sections of their mail, which read, cite and verify them; one that fails costs only itself.",
    ),
    met(
        "newer-mail-of-a-thread-first",
        "issue-16 part 5",
        16,
        "The newer of two mails of a thread that both answer comes first, whatever was found between them.",
    ),
    met(
        "comments-are-read",
        "issue-16 part 5",
        16,
        "Comments and notes of office files are text that names their author.",
    ),
    met(
        "furniture-once",
        "issue-16 part 5",
        16,
        "Headers and footers of Word and OpenDocument files are read once for a document.",
    ),
    met(
        "hidden-tabs-are-read",
        "issue-16 part 5",
        16,
        "Text that is hidden only because another tab is open or a fold is closed is read.",
    ),
    met(
        "hidden-parts-are-read-or-named",
        "issue-16 bar",
        16,
        "60 kinds of files with hidden or rare parts: each part is read, or named in the notices.",
    ),
    met(
        "zones-of-every-spelling",
        "issue-16 part 10",
        16,
        "Zones and offsets in every spelling of calendar programs have their moment, also in filters by day.",
    ),
    met(
        "times-that-do-not-exist",
        "issue-16 part 10",
        16,
        "A time that a change of clocks skips is shown and found an hour later, and the event keeps its length.",
    ),
    met(
        "calendar-files-are-read",
        "issue-16 part 10",
        16,
        "An iCalendar file is read, with a section for each entry.",
    ),
)
