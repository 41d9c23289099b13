"""Issue 10: read contexts, baselines, diff."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "history-retention-is-a-setting",
        "issue-10 part 1",
        10,
        "Each source says how long superseded states are kept, 90 days usually.",
    ),
    met(
        "purge-leaves-no-moment-with-holes",
        "issue-10 part 1",
        10,
        "A purge takes what is older, and no moment with a hole is answered.",
    ),
    met(
        "history-holds-under-load-and-kills",
        "issue-10 part 1",
        10,
        "Purge, baseline and as-of hold under indexing with kill -9.",
    ),
    met("baselines-never-change", "issue-10 part 2", 10, "A baseline never changes."),
    met("baseline-commands", "issue-10 part 2", 10, "citemark baseline create, list, show, diff and delete."),
    met(
        "repository-tags-are-baselines",
        "issue-10 part 2",
        10,
        "Tags of a repository are baselines, read without the work tree.",
    ),
    met(
        "diffs-show-before-and-after", "issue-10 part 2", 10, "kb_diff and diffBaselines show before and after, cited."
    ),
    met("prompt-what-changed", "issue-10 part 2", 10, "The prompt what_changed."),
    met(
        "every-tool-reads-the-named-state",
        "issue-10 part 3",
        10,
        "Every query tool reads the state that read_context names.",
    ),
    met(
        "passage-read-on-in-its-state", "issue-10 part 3", 10, "A passage is read on in the state that it was found in."
    ),
    met("permission-of-now-in-any-state", "issue-10 part 3", 10, "Permission is that of now, whatever state is read."),
    met("as-of-names-only-durable-commits", "issue-10 part 3", 10, "An as_of names only what was durably committed."),
    met("citation-opens-at-its-revision", "issue-10 part 3", 10, "A citation can be opened at its revision."),
    met(
        "past-question-answers-as-then",
        "issue-10 part 4",
        10,
        "A question asked again at a moment answers as HEAD did then.",
    ),
    met(
        "unreadable-moments-refused-clearly",
        "issue-10 bad input",
        10,
        "Moments and baselines that cannot be read are refused clearly.",
    ),
    met(
        "questions-keep-speed-with-history",
        "issue-10 figures",
        10,
        "Questions keep their bars with 20 revisions of each document; disk is told.",
    ),
    met(
        "speed-of-changes-and-tags",
        "issue-10 figures",
        10,
        "The bars of what changed, and of 200 tags of a repository.",
    ),
)
