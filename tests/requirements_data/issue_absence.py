"""Issue 15: absence is told, never a veto."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("R21-names-are-names", "issue-15 part 1", 15, "Question words, beginnings and ordinary words are no names."),
    met("R21-lowers-nothing", "issue-15 part 1", 15, "A name that no document writes lowers no score."),
    met("R21-every-phrasing", "issue-15 part 1", 15, "It is looked for under every phrasing, at any confidence."),
    met("R21-looked-for", "issue-15 part 1", 15, "It is looked for in titles, paths, tags, people and properties."),
    met("R21-about", "issue-15 part 1", 15, "Of a question about it, the two nearest passages are shown."),
    met("R21-every-tool", "issue-15", 15, "The first line of every tool's result tells what is absent."),
    met("R21-withheld", "issue-15 part 3", 15, "Nothing is called absent while hits are withheld."),
    met("R21-set-of-names", "issue-15", 15, "On the set of names nothing is hidden; nine of ten absences are told."),
    met("R21-exact", "issue-15 part 5", 15, "Weak never stands beside an exact hit of the only identifier."),
    met("i15-ask-in", "issue-15 part 5", 15, "Nobody is told to ask in a language that a phrasing is in."),
    met("i15-denied", "issue-15 part 5", 15, "After a denial the reason is the denial."),
    met("i15-advice", "issue-15 part 5", 15, "An advice names only arguments that the tool has."),
    met("i15-eval-withheld", "issue-15 part 5", 15, "An evaluation counts withheld as withheld, and bytes as sent."),
    met("R22-own-score", "issue-15 part 2", 15, "No gate but its own score keeps a hit from being shown."),
    met("R22-further-phrasings", "issue-15 part 2", 15, "A further phrasing lowers no score and removes no hit."),
    met(
        "incomplete-in-every-result",
        "issue-15 part 3",
        15,
        "Every result says in its first line what waits, changed or was withheld, and counts it with what failed.",
    ),
    met(
        "nothing-absent-while-waiting", "issue-15 part 3", 15, "Nothing is called absent while anything in scope waits."
    ),
    met(
        "failed-beside-absence",
        "issue-15 part 3",
        15,
        "Documents that could not be read are counted beside a claim of absence.",
    ),
    met(
        "difference-named",
        "issue-15 part 7",
        15,
        "kb_verify_quote says what the document says instead of the quotation.",
    ),
    met("marks-alone-named", "issue-15 part 7", 15, "A difference in marks or letter case alone is named as that."),
)
