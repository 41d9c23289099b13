"""Issue 17: few bytes, both sides of a question, honest answers, today."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("answers-know-today", "issue-17 part 9", 17, "A prompt names the reader's day and when dated documents are."),
    met("not-knowing-is-no-answer", "issue-17 part 7", 17, "Quotes stand in the place of a model that does not know."),
    met("time-words", "issue-17 part 9", 17, "Words about time are read in eight languages."),
    met("time-words-order", "issue-17 part 9", 17, "Questions about time find the date that they mean first."),
    met("past-is-marked", "issue-17 part 9", 17, "Hits of dated things say past, now or upcoming; past is never next."),
    met(
        "claims-in-three-languages",
        "issue-17 part 7",
        17,
        "Of sentences in English, German and French kept apart from the fit, 0.9 of those marked are wrong, 0.8 found.",
    ),
    met("negations-are-compared", "issue-17 part 7", 17, "A sentence that turns a denial round is unsupported."),
    met(
        "number-words-are-amounts",
        "issue-17 part 7",
        17,
        "Amounts in words of three languages are compared as numbers.",
    ),
    met("politeness-is-no-claim", "issue-17 part 7", 17, "No list of phrases tells which sentences claim something."),
    met(
        "excerpts-read-on",
        "issue-17 part 3",
        17,
        "One call reads on over passages to its tokens or the end.",
    ),
    met("bullets-keep-headings-apart", "issue-17 part 3", 17, "In bullets, a heading has a line of its own."),
    met("stdio-calls-are-audited", "issue-17 part 11", 17, "A call over stdio adds the same line as one over HTTP."),
    met("diff-counts-left-out", "issue-17 part 11", 17, "A state names twenty sources that it lacks, counting others."),
    met("total-before-verification", "issue-17 part 11", 17, "total_found is no page size: it counts later pages too."),
    met(
        "a-leaf-has-no-child",
        "issue-17 part 11",
        17,
        "Children and parents leave out the given nodes, and say if none.",
    ),
    met("refused-paths-stay-refused", "issue-17 part 10", 17, "A search by id shows no file whose path was refused."),
)
