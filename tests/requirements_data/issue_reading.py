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
)
