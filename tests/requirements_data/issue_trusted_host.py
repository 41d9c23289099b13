"""Issue 21, parts 9 to 14: hidden text, floods, odd repositories, and what an install executes."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "hidden-characters-shown",
        "issue-21 part 9",
        21,
        "Characters that nobody sees are shown by number wherever text is shown, unless a script or emoji needs them.",
    ),
    met(
        "shown-quote-verified",
        "issue-21 part 9",
        21,
        "The stored text keeps its hidden characters, and verify_quote accepts the words as they were shown.",
    ),
    met(
        "refused-tokens-remembered",
        "issue-21 part 10",
        21,
        "A refused token is remembered by its digest for seconds, and places for look-ups are kept for known tokens.",
    ),
    met(
        "failures-counted-by-address",
        "issue-21 part 10",
        21,
        "401 and 404 count against an address, and where there are too many only known tokens are answered.",
    ),
    met(
        "key-set-without-key-failed",
        "issue-21 part 10",
        21,
        "An answer of a key set without a usable key is a failed fetch, and the known keys stay.",
    ),
    met(
        "introspection-past-exp-refused",
        "issue-21 part 10",
        21,
        "A token whose introspection names an end in the past is refused, even if it is called active.",
    ),
    met(
        "nothing-left-after-kill",
        "issue-21 part 13",
        21,
        "After kill -9 of every process of ours PostgreSQL ends within a minute, its watcher killed or not.",
    ),
    met("unknown-tools-audited", "issue-21 part 13", 21, "A call of an unknown tool leaves a line in the audit."),
    met(
        "revoked-handle-unknown",
        "issue-21 part 13",
        21,
        "A handle of a source that was revoked looks like one that never existed.",
    ),
    met(
        "newer-index-named",
        "issue-21 part 13",
        21,
        "A program that is older than the index says so, whoever runs it.",
    ),
    met(
        "html-linear",
        "issue-21 part 12",
        21,
        "A web page that is deep or rich in attributes takes linear time, and what was cut for that is counted.",
    ),
    met(
        "junk-tokens-slow-nobody",
        "issue-21 bars",
        21,
        "Under 400 connections with junk tokens, a person's p95 is at most twice that under the same flood of a 404.",
        tests=("tests/unit/tools/test_http_strangers.py",),
    ),
    met(
        "full-disk-ends-sync",
        "issue-21 part 13",
        21,
        "A disk that is full while history is written ends each sync with the reason within 60 s.",
    ),
    met(
        "parser-budget",
        "issue-21 part 12",
        21,
        "A source whose files take their parsers' whole time has less for each from then on, and holds up no others.",
    ),
    met(
        "bad-files-take-minutes",
        "issue-21 part 12",
        21,
        "A hundred files that never end, run out of memory or fail late take less than ten minutes of a parser.",
    ),
    met(
        "git-files-looked-at",
        "issue-21 part 11",
        21,
        "A file of a repository is opened only if it is regular, small and inside; others are refused by their names.",
    ),
    met(
        "git-read-in-child",
        "issue-21 part 11",
        21,
        "Repositories are read in the process that has limits on time and memory.",
    ),
    met(
        "install-pinned",
        "issue-21 part 14",
        21,
        "Whatever an install executes is pinned by hash: uv, build back ends, and what packages are built with.",
    ),
    met(
        "licences-listed",
        "issue-21 part 14",
        21,
        "NOTICE and a generated list of third-party licences are in the repository and in the wheel.",
    ),
    met("offline-install", "issue-21 part 14", 21, "An install from a folder of wheels is documented and tried."),
    met("no-ignorable-unseen", "issue-21 bars", 21, "No default-ignorable code point reaches a model unseen."),
)
