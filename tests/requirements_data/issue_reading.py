"""Issue 16: reading is complete and changes no meaning."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "raised-figures-stay-apart",
        "issue-16 part 1",
        16,
        "Raised and lowered figures keep their place in every format (10⁶ is never 106, a note never joins a number), "
        "and no analysis, scoring or check folds them to plain ones.",
    ),
    met(
        "no-character-is-dropped",
        "issue-16 part 1",
        16,
        "A character of a symbol font, or one that a file does not name, is read as what it shows or as U+FFFD.",
    ),
    met(
        "cells-as-shown",
        "issue-16 part 1",
        16,
        "A cell is read as the office program shows it: literals, conditions, fractions, exponents, lengths of time, "
        "names of months in the language of its format.",
    ),
    met(
        "struck-words-are-marked",
        "issue-16 part 1",
        16,
        "Struck-out words have ~~ around them in HTML, Word, slides, OpenDocument and spreadsheets.",
    ),
    met("boxes-say-their-state", "issue-16 part 1", 16, "A checked box of a form differs from an empty one."),
    met(
        "replies-stay-apart",
        "issue-16 part 1",
        16,
        "The marks of quoted mail stay in the text, and no sentence or span joins a reply with what it quotes.",
    ),
    met(
        "names-compare-as-read",
        "issue-16 part 2",
        16,
        "Paths, links, filters and questions compare in one spelling: composed letters, one hyphen, no vowel points, "
        "Arabic and Persian letters alike, an article with or without its conjunction.",
    ),
    met(
        "a-version-for-each-reader",
        "issue-16 item 12",
        16,
        "A format that is new or mended reads its own files again, parked ones included, and no others.",
    ),
    met(
        "years-name-columns",
        "issue-16 item 6",
        16,
        "Years and figures may be names of columns, in every format that has tables.",
    ),
    met(
        "lines-above-are-no-header",
        "issue-16 item 6",
        16,
        "A title or an account's data above a table is text, and the line that names its columns is the header.",
    ),
    met(
        "a-doubtful-header-is-carried",
        "issue-16 item 6",
        16,
        "Rows are shown below the first row of their table even if that might be a row.",
    ),
    met(
        "headers-of-several-rows",
        "issue-16 item 6",
        16,
        "A header of two rows, or with merged cells, names each column in full.",
    ),
    met(
        "cut-tables-are-told",
        "issue-16 item 6",
        16,
        "Rows of a table beyond the limit are named where people look for what is not read.",
    ),
    met(
        "one-bad-detail",
        "issue-16 item 7",
        16,
        "An invalid attribute, a broken part or an entry with a wrong checksum costs that, and is counted.",
    ),
    met(
        "names-in-every-language",
        "issue-16 item 9",
        16,
        "Names and documentation of a model are read in every language, that of the source first, and found by each.",
    ),
    met(
        "coarchi-folders",
        "issue-16 item 9",
        16,
        "A coArchi folder is refused with what to do instead, when it is added and when it is read.",
    ),
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
