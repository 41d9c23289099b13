"""Issue 22, parts 6 to 9: a question at size, and the bytes of a chunk."""

from tests.requirements_data.form import Requirement, met, missed

CLAUSES: tuple[Requirement, ...] = (
    met("a-chunk-takes-few-bytes", "issue-22 table", 22, "At 100,000 chunks a chunk takes at most 7.5 KB of disk."),
    met(
        "graph-finds-the-nearest",
        "issue-22 part 7",
        22,
        "Of the hundred nearest of documents' vectors, the graph index finds 0.98.",
    ),
    missed(
        "ranking-at-a-million",
        "issue-22 table",
        22,
        "Ranking over a million chunks takes at most 1.5 of lancedb's p50 in the same run.",
        "3.9 times, measured before questions stopped reading what grows with the index",
    ),
    met(
        "kept-revision-takes-little",
        "issue-22 table",
        22,
        "A kept revision of one changed section in five takes at most 9 KB.",
    ),
    missed(
        "first-load-twice-as-fast",
        "issue-22 part 3",
        22,
        "2,000 chunks/s become searchable on first load.",
        "about half of it; Python alone takes more than the two cores have",
    ),
    met(
        "questions-read-no-more-beside-more-documents",
        "issue-22 part 6",
        22,
        "What a question reads does not grow with the number of documents, whatever it names.",
    ),
    met(
        "writing-reads-no-more-beside-more-documents",
        "issue-22 part 7",
        22,
        "What is read to write, remove or purge a document does not grow with the number of documents beside it, and "
        "to remove a source only with its own.",
    ),
    met(
        "walks-read-no-more-beside-more-documents",
        "issue-22 part 9",
        22,
        "What a walk over the graph reads does not grow with the number of documents, though it finds no path.",
    ),
    met(
        "warm-question-few-statements",
        "issue-22 part 6",
        22,
        "A warm question ranks with four statements: no posting list and no words of chunks are read.",
    ),
    met(
        "graph-expand-few-statements",
        "issue-22 part 9",
        22,
        "A walk over two hops takes six statements, two of which run beside each other; no node is read twice.",
    ),
    met(
        "lookups-keep-their-plan",
        "issue-22 part 6",
        22,
        "A statement of look-ups is planned once per connection, and not for each question.",
        also=("issue-22 part 9",),
    ),
    met(
        "words-are-kept-once",
        "issue-22 part 8",
        22,
        "The words of a chunk are kept once: an index of an earlier version gives back what the second copy took.",
    ),
    met(
        "postings-in-blocks",
        "issue-22 part 8",
        22,
        "Posting lists take less than half of what they took, give the same scores in the same order, and those of"
        " earlier versions are read as they are.",
    ),
    met(
        "blocks-beside-earlier-servers",
        "issue-22 part 8",
        22,
        "No block is written while a server that does not know blocks is connected; later its segments are packed.",
    ),
    met(
        "past-texts-in-bodies",
        "issue-22 part 8",
        22,
        "The text of a superseded chunk is kept once, in the body of its revision, and read as it was.",
    ),
    met(
        "past-contents-once",
        "issue-22 part 8",
        22,
        "Words, postings and vectors of a section that did not change are kept once for all superseded revisions of its"
        " page, and every state is found as it was at HEAD, also after purges and beside servers of earlier versions.",
    ),
    met(
        "past-text-beside-successor",
        "issue-22 part 8",
        22,
        "The text of a superseded revision takes what changed beside its successor: it is read and cited as it was,"
        " stays whole beside servers of earlier versions, and a purge takes exactly the texts that it is to take.",
    ),
    met(
        "sections-are-kept-once",
        "issue-22 part 8",
        22,
        "A section that a page goes on having under the same title and path is one row for all of its revisions, and"
        " each revision has its sections as they were called and where they stood, also after purges and beside servers"
        " of earlier versions.",
    ),
    met(
        "past-names-once",
        "issue-22 part 8",
        22,
        "What superseded chunks with the same content are called, and the hash of their text, is kept once, with their"
        " words; each is read, compared and embedded as it was, also after purges and beside earlier servers.",
    ),
    met(
        "edges-are-kept-once",
        "issue-22 part 8",
        22,
        "An edge that a page goes on stating is one row for all of its revisions, and every state has the edges of"
        " then, in their order, with the revision and the place where they were stated.",
    ),
)
