"""Issue 10: read contexts, baselines, diff."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "i10-1-setting", "issue-10 part 1", 10, "Each source says how long superseded states are kept, 90 days usually."
    ),
    met("i10-1-purge", "issue-10 part 1", 10, "A purge takes what is older, and no moment with a hole is answered."),
    met("i10-1-under-load", "issue-10 part 1", 10, "Purge, baseline and as-of hold under indexing with kill -9."),
    met("i10-2-immutable", "issue-10 part 2", 10, "A baseline never changes."),
    met("i10-2-commands", "issue-10 part 2", 10, "citemark baseline create, list, show, diff and delete."),
    met("i10-2-git", "issue-10 part 2", 10, "Tags of a repository are baselines, read without the work tree."),
    met("i10-2-diff", "issue-10 part 2", 10, "kb_diff and diffBaselines show before and after, cited."),
    met("i10-2-prompt", "issue-10 part 2", 10, "The prompt what_changed."),
    met("i10-3-every-tool", "issue-10 part 3", 10, "Every query tool reads the state that read_context names."),
    met("i10-3-handles", "issue-10 part 3", 10, "A passage is read on in the state that it was found in."),
    met("i10-3-permission", "issue-10 part 3", 10, "Permission is that of now, whatever state is read."),
    met("i10-3-durable", "issue-10 part 3", 10, "An as_of names only what was durably committed."),
    met("i10-3-reopen", "issue-10 part 3", 10, "A citation can be opened at its revision."),
    met("i10-4-property", "issue-10 part 4", 10, "A question asked again at a moment answers as HEAD did then."),
    met("i10-bad-input", "issue-10 bad input", 10, "Moments and baselines that cannot be read are refused clearly."),
    met(
        "i10-bars",
        "issue-10 figures",
        10,
        "Questions keep their bars with 20 revisions of each document; disk is told.",
    ),
    met("i10-bars-changes", "issue-10 figures", 10, "The bars of what changed, and of 200 tags of a repository."),
)
