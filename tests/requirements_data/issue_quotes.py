"""Issue 9, the parts on evidence: a budget of bytes, quotes a person would cut, what is never quoted."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("i9-alternating", "issue-9 part 5", 9, "Where there are several phrasings, they take turns in filling."),
    met("i9-5-folded", "issue-9 part 5", 9, "Versions of a passage that differ in links or wording are quoted once."),
    met("i9-10-newer", "issue-9 part 10", 9, "Of mails of one subject the newer comes first, and citations are dated."),
    met("i9-limits-given", "issue-9 part 5", 9, "max_quotes, tokens and context bind where they are given."),
    met("i9-8-sentences", "issue-9 part 8", 9, "Abbreviations and numbered headings do not part or join sentences."),
    met("i9-8-whole", "issue-9 part 8", 9, "A quote ends with a sentence, or says that it does not."),
    met("i9-8-fences", "issue-9 part 8", 9, "Fences of quoted code are closed."),
    met("i9-8-bullets", "issue-9 part 8", 9, "Bullets are not doubled."),
    met("i9-9-previews", "issue-9 part 9", 9, "A preview never repeats a sentence."),
    met("i9-10-tables", "issue-9 part 10", 9, "Rows of a table bring its header row."),
    met(
        "i9-7-once", "issue-9 part 7", 9, "Later quotes of a document point to the first, in the text and for its file."
    ),
    met("i9-7-padding", "issue-9 part 7", 9, "Padding of columns is shown as one space; a check ignores it."),
    met("i9-12-headings", "issue-9 part 12", 9, "An extractive answer calls no heading unsupported."),
    met("i9-12-order", "issue-9 part 12", 9, "An extractive answer keeps steps in order and says nothing twice."),
    met("i9-9-addressing", "issue-9 part 9", 9, "Salutations, signatures and mail headers answer nothing."),
    met("i9-9-filler", "issue-9 part 9", 9, "What shares no word and is no nearer than chance is never quoted."),
)
