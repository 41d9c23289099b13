"""Issue 7: every client can call the server, and nothing it says is untrue."""

from tests.requirements_data.form import Requirement, met, planned

CLAUSES: tuple[Requirement, ...] = (
    met("i7-1-names", "issue-7 part 1", 7, "Tools are listed with underscores; both spellings are accepted on call."),
    met(
        "i7-1-refusing-model",
        "issue-7 part 1",
        7,
        "Every client's request passes a model API that refuses bad tool names.",
    ),
    met("i7-1-clients", "issue-7 part 1", 7, "make interop tries eight more client libraries."),
    met("i7-2-null", "issue-7 part 2", 7, "null for an optional argument means omitted, for every tool."),
    met("i7-2-empty", "issue-7 part 2", 7, "An empty optional string means omitted; 5.0 is an integer."),
    met("i7-2-flat", "issue-7 part 2", 7, "No listed schema has a nested $ref."),
    met("i7-3-one-family", "issue-7 part 3", 7, "One architecture family serves all models, chosen by model."),
    met("i7-3-legacy-names", "issue-7 part 3", 7, "With one model, its <capability>_* names stay callable."),
    met("i7-3-room", "issue-7 part 3", 7, "kb, nc and architecture are listed in at most 34 KB, 24 KB of them input."),
    planned("i7-3-unlisted-shown", "issue-7 part 3", 7, "status, doctor and the log name tools that are not listed."),
    planned("i7-3-citation-once", "issue-7 part 3", 7, "Each channel of a result says a citation once."),
    met("i7-4-list-sources", "issue-7 part 4", 7, "kb_list_sources describes the sources that the caller may read."),
    met("i7-4-instructions", "issue-7 part 4", 7, "The server's instructions name the sources and their languages."),
    met(
        "i7-4-unknown-values",
        "issue-7 part 4",
        7,
        "An unknown filter value is refused with the caller's nearest values.",
    ),
    met("i7-4-dates", "issue-7 part 4", 7, "date_from after date_to is refused."),
    met("i7-4-capability-case", "issue-7 part 4", 7, "Capability names ignore case."),
    met("i7-4-default-repositories", "issue-7 part 4", 7, "A setting names the default repositories of a scope."),
    planned(
        "i7-5-read-context", "issue-7 part 5", 7, "read_context is unlisted, and accepted where it means the present."
    ),
    planned("i7-5-hybrid-local", "issue-7 part 5", 7, "hybrid_local says in a note that there is no graph yet."),
    met("i7-6-foreign-page", "issue-7 part 6", 7, "A page in another language hides no answer."),
    met("i7-6-golden-beside", "issue-7 part 6", 7, "Golden questions lose nothing beside foreign-language documents."),
    met(
        "i7-7-empty-reasons",
        "issue-7 part 7",
        7,
        "An empty result says which of the enumerated reasons holds, and the next step.",
    ),
    met("i7-7-refused-at-once", "issue-7 part 7", 7, "The status tool tells a refused password at once."),
    met(
        "i7-8-total",
        "issue-7 part 8",
        7,
        "total_found counts confirmed documents, and total_is says whether all were asked.",
    ),
    met(
        "i7-9-one-by-one",
        "issue-7 part 9",
        7,
        "Each confirmed document counts and is remembered, whatever becomes of the others.",
    ),
    met("i7-9-progress", "issue-7 part 9", 7, "A question repeated on a slow server shows more each time."),
    met(
        "i7-9-adaptive", "issue-7 part 9", 7, "Deadline and parallel requests adapt, and never grow after a 429 or 423."
    ),
    met("i7-9-withheld-first", "issue-7 part 9", 7, "An answer whose hits were all withheld says so first."),
    met("i7-10-reasons", "issue-7 part 10", 7, "A quote that is gone says whether its words or its document went."),
    met(
        "i7-10-cited-revision",
        "issue-7 part 10",
        7,
        "verify_quote says whether the cited revision is known, superseded or unknown.",
    ),
    met("i7-10-renamed", "issue-7 part 10", 7, "A rename seen by serve and sync at once is moved, not gone."),
    met(
        "i7-11-internal",
        "issue-7 part 11",
        7,
        "The log of an internal error holds exception type and frames, and no text.",
    ),
    met("i7-11-generation", "issue-7 part 11", 7, "A failed generation is logged with way, origin and reason."),
    met(
        "i7-12-claims",
        "issue-7 part 12",
        7,
        "German nouns, standards, two-word names and spelled-out amounts are told apart.",
    ),
    met("i7-12-relationship-lines", "issue-7 part 12", 7, "A relationship is cited by its own lines."),
    met("i7-12-archi-2", "issue-7 part 12", 7, "Files of Archi 2 are read."),
    met(
        "i7-13-links", "issue-7 part 13", 7, "Local callers get the path and file link of a citation; nobody else does."
    ),
    met(
        "i7-13-terminal",
        "issue-7 part 13",
        7,
        "The command line has --version, -h, completion, colour and short figures.",
    ),
    met("i7-13-json-errors", "issue-7 part 13", 7, "--json prints JSON on wrong usage too."),
    met(
        "i7-14-source-set",
        "issue-7 part 14",
        7,
        "citemark source set changes a source without losing vectors; old names stay valid.",
    ),
    met("i7-14-added-twice", "issue-7 part 14", 7, "Adding the same or a nested folder again says what exists."),
    met("i7-14-unknown-settings", "issue-7 part 14", 7, "Unknown settings are refused with the nearest name."),
    met("i7-14-uvx", "issue-7 part 14", 7, "install from a uvx cache writes uvx citemark."),
    met("i7-14-revoked", "issue-7 part 14", 7, "Removing an account revokes its app password."),
    met("i7-15-doctor", "issue-7 part 15", 7, "doctor tells broken from unread."),
    met(
        "i7-15-text-kinds",
        "issue-7 part 15",
        7,
        "Plain text kinds are read when a glob includes them; tables keep their header.",
    ),
    met("i7-16-reading-on", "issue-7 part 16", 7, "read_excerpt goes on beyond a passage in reading order."),
    met(
        "i7-16-handles",
        "issue-7 part 16",
        7,
        "nc hits carry a passage_id, and next_start_char is accepted where it is said.",
    ),
    met("i7-16-context", "issue-7 part 16", 7, "getContext fills max_tokens, at most 10,000, in one channel."),
    met("i7-16-min-score", "issue-7 part 16", 7, "semanticSearch heeds min_score."),
    planned("i7-17-small", "issue-7 part 17", 7, "The small untrue things of part 17 are mended."),
    planned("i7-18-steady", "issue-7 part 18", 7, "No test depends on the clock."),
)
