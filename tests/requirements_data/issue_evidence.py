"""Issue 9: the caller's own phrasings, passages in a byte budget, quotes a person would cut."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "i9-1-also",
        "issue-9 part 1",
        9,
        "Nine tools and three commands take up to four further phrasings of at most 300 characters.",
    ),
    met("i9-1-bound", "issue-9 part 1", 9, "Cursors, pinned evidence and request state are bound to the phrasings."),
    met(
        "i9-1-weak",
        "issue-9 part 1",
        9,
        "A weak or empty result names the words that stand nowhere and asks for other phrasings.",
    ),
    met("i9-1-fit", "issue-9 part 1", 9, "The score is fitted per number of phrasings."),
    met(
        "i9-2-rephrase",
        "issue-9 part 2",
        9,
        "rephrase lets the host's or the configured model phrase, once a question.",
    ),
    met("i9-3-confidence", "issue-9 part 3", 9, "Confidence is the agreement of the phrasings, calibrated."),
    met("i9-14-eval", "issue-9 part 14", 9, "citemark eval measures with phrasings, and without golden words."),
)
