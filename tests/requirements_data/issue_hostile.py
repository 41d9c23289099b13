"""Issue 14: hostile content, broken accounts, noisy neighbours."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "i14-1-interval",
        "issue-14 part 1",
        14,
        "A recurrence rule with an interval below 1 is a problem of its document.",
    ),
    met(
        "i14-1-isolated",
        "issue-14 part 1",
        14,
        "Calendars, cards, multistatus and models are parsed in processes with limits.",
    ),
    met("i14-1-properties", "issue-14 part 1", 14, "Properties per calendar item and card are capped."),
    met("i14-1-sigterm", "issue-14 part 1", 14, "SIGTERM ends serve and sync within seconds, whatever a thread does."),
    met(
        "i14-2-trust",
        "issue-14 part 2",
        14,
        "A citemark.toml that is not the user's own is read only after citemark trust.",
    ),
    met("i14-2-keys", "issue-14 part 2", 14, "A key goes only to an address from the same place as the key."),
    met(
        "i14-3-linear", "issue-14 part 3", 14, "Writing a page of equal chunks looks at rows in proportion to the page."
    ),
    met("i14-3-heartbeats", "issue-14 part 3", 14, "Heartbeats wait for nobody."),
    met(
        "i14-4-alone",
        "issue-14 part 4",
        14,
        "A source that fails, fails alone: shown, backed off, exit code 1 at the end.",
    ),
    met("i14-4-odd-values", "issue-14 part 4", 14, "Odd ids, deep JSON and bad addresses are errors of the source."),
    met("i14-5-deleted", "issue-14 part 5", 14, "A deleted or replaced file cannot be read through its handle."),
    met(
        "i14-6-forged",
        "issue-14 part 6",
        14,
        "No document can write what reads like a hit, and names are shown on one line.",
    ),
    met("i14-6-bidi", "issue-14 part 6", 14, "Bidirectional controls are made visible."),
    met("i14-7-secrets", "issue-14 part 7", 14, "No traceback or message ever holds a secret of the settings."),
    met("i14-8-half-sent", "issue-14 part 8", 14, "Half-sent requests time out and are capped per peer."),
    met("i14-8-token", "issue-14 part 8", 14, "Loopback HTTP takes a token that only the owner can read."),
    met(
        "i14-8-root",
        "issue-14 part 8",
        14,
        "As root, cluster and parsers run as accounts of their own; files are 0600.",
    ),
    met("i14-9-streamed", "issue-14 part 9", 14, "Multistatus is read as a stream with caps."),
    met("i14-9-endless", "issue-14 part 9", 14, "Endless listings are cut, reported, and delete nothing."),
    met("i14-10-soak", "issue-14 part 10", 14, "The attacks are kept in make soak, a fiftieth of each in make test."),
    met("i14-10-threats", "issue-14 part 10", 14, "docs/threat-model.md says what is defended and how."),
)
