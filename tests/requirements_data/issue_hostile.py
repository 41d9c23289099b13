"""Issue 14: hostile content, broken accounts, noisy neighbours."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "zero-recurrence-interval-is-a-problem",
        "issue-14 part 1",
        14,
        "A recurrence rule with an interval below 1 is a problem of its document.",
    ),
    met(
        "hostile-formats-parsed-in-limited-processes",
        "issue-14 part 1",
        14,
        "Calendars, cards, multistatus and models are parsed in processes with limits.",
    ),
    met("properties-per-item-are-capped", "issue-14 part 1", 14, "Properties per calendar item and card are capped."),
    met(
        "sigterm-ends-within-seconds",
        "issue-14 part 1",
        14,
        "SIGTERM ends serve and sync within seconds, whatever a thread does.",
    ),
    met(
        "foreign-settings-file-needs-trust",
        "issue-14 part 2",
        14,
        "A citemark.toml that is not the user's own is read only after citemark trust.",
    ),
    met(
        "keys-stay-with-their-own-address",
        "issue-14 part 2",
        14,
        "A key goes only to an address from the same place as the key.",
    ),
    met(
        "equal-chunks-written-in-linear-time",
        "issue-14 part 3",
        14,
        "Writing a page of equal chunks looks at rows in proportion to the page.",
    ),
    met("heartbeats-wait-for-nobody", "issue-14 part 3", 14, "Heartbeats wait for nobody."),
    met(
        "failing-source-fails-alone",
        "issue-14 part 4",
        14,
        "A source that fails, fails alone: shown, backed off, exit code 1 at the end.",
    ),
    met(
        "odd-values-are-source-errors",
        "issue-14 part 4",
        14,
        "Odd ids, deep JSON and bad addresses are errors of the source.",
    ),
    met(
        "deleted-file-unreadable-by-handle",
        "issue-14 part 5",
        14,
        "A deleted or replaced file cannot be read through its handle.",
    ),
    met(
        "no-document-forges-a-hit",
        "issue-14 part 6",
        14,
        "No document can write what reads like a hit, and names are shown on one line.",
    ),
    met("bidirectional-controls-made-visible", "issue-14 part 6", 14, "Bidirectional controls are made visible."),
    met(
        "no-message-holds-a-secret",
        "issue-14 part 7",
        14,
        "No traceback or message ever holds a secret of the settings.",
    ),
    met("half-sent-requests-time-out", "issue-14 part 8", 14, "Half-sent requests time out and are capped per peer."),
    met(
        "loopback-token-readable-by-owner",
        "issue-14 part 8",
        14,
        "Loopback HTTP takes a token that only the owner can read.",
    ),
    met(
        "root-parses-under-other-accounts",
        "issue-14 part 8",
        14,
        "As root, cluster and parsers run as accounts of their own; files are 0600.",
    ),
    met("multistatus-read-as-a-stream", "issue-14 part 9", 14, "Multistatus is read as a stream with caps."),
    met("endless-listings-are-cut", "issue-14 part 9", 14, "Endless listings are cut, reported, and delete nothing."),
    met(
        "attacks-kept-in-the-soak",
        "issue-14 part 10",
        14,
        "The attacks are kept in make soak, a fiftieth of each in make test.",
    ),
    met("threat-model-is-written", "issue-14 part 10", 14, "docs/threat-model.md says what is defended and how."),
)
