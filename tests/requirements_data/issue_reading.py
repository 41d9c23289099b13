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
)
