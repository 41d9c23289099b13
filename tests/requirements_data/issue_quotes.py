"""Issue 9, the parts on evidence: a budget of bytes, quotes a person would cut, what is never quoted."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("phrasings-take-turns", "issue-9 part 5", 9, "Where there are several phrasings, they take turns in filling."),
    met(
        "near-versions-quoted-once",
        "issue-9 part 5",
        9,
        "Versions of a passage that differ in links or wording are quoted once.",
    ),
    met(
        "newer-mail-first-citations-dated",
        "issue-9 part 10",
        9,
        "Of mails of one subject the newer comes first, and citations are dated.",
    ),
    met("given-limits-bind", "issue-9 part 5", 9, "max_quotes, tokens and context bind where they are given."),
    met(
        "abbreviations-do-not-split-sentences",
        "issue-9 part 8",
        9,
        "Abbreviations and numbered headings do not part or join sentences.",
    ),
    met("quotes-end-with-a-sentence", "issue-9 part 8", 9, "A quote ends with a sentence, or says that it does not."),
    met("quoted-code-fences-are-closed", "issue-9 part 8", 9, "Fences of quoted code are closed."),
    met("bullets-are-not-doubled", "issue-9 part 8", 9, "Bullets are not doubled."),
    met("previews-never-repeat-a-sentence", "issue-9 part 9", 9, "A preview never repeats a sentence."),
    met("table-rows-bring-their-header", "issue-9 part 10", 9, "Rows of a table bring its header row."),
    met(
        "later-quotes-point-to-the-first",
        "issue-9 part 7",
        9,
        "Later quotes of a document point to the first, in the text and for its file.",
    ),
    met(
        "column-padding-is-one-space",
        "issue-9 part 7",
        9,
        "Padding of columns is shown as one space; a check ignores it.",
    ),
    met("headings-are-never-unsupported", "issue-9 part 12", 9, "An extractive answer calls no heading unsupported."),
    met(
        "extractive-answer-keeps-order",
        "issue-9 part 12",
        9,
        "An extractive answer keeps steps in order and says nothing twice.",
    ),
    met(
        "salutations-and-signatures-answer-nothing",
        "issue-9 part 9",
        9,
        "Salutations, signatures and mail headers answer nothing.",
    ),
    met(
        "unrelated-filler-never-quoted",
        "issue-9 part 9",
        9,
        "What shares no word and is no nearer than chance is never quoted.",
    ),
)
