"""Issue 4: a person's Nextcloud."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "nextcloud-client-limits-and-retries",
        "issue-4 part 1",
        4,
        "One thin client limits rate, retries as told, knows maintenance.",
    ),
    met("notes-listed-by-etag", "issue-4 part 1", 4, "Notes are listed by etag and pruneBefore of the server's clock."),
    met(
        "falling-tokens-and-private-events-noticed",
        "issue-4 part 1",
        4,
        "Falling tokens and silently private events are noticed.",
    ),
    met(
        "boards-descended-only-when-changed", "issue-4 part 1", 4, "Boards are descended only where their time changed."
    ),
    met(
        "folders-descended-only-when-changed",
        "issue-4 part 1",
        4,
        "Folders are descended only where their etag changed; moves are seen.",
    ),
    met(
        "nextcloud-files-share-extraction",
        "issue-4 part 2",
        4,
        "Files go through the shared extraction with size caps.",
    ),
    met(
        "changed-file-rules-purge",
        "issue-4 part 2",
        4,
        "Files are chosen by folder, tag and type; changed rules purge.",
    ),
    met("each-type-has-readable-text", "issue-4 part 3", 4, "Each type has a readable text."),
    met("each-document-has-a-web-address", "issue-4 part 3", 4, "Each document has a URL into the web interface."),
    met("dates-labels-categories-filter", "issue-4 part 3", 4, "Dates, labels and categories filter."),
    met("links-between-apps-are-relationships", "issue-4 part 4", 4, "Links between apps are relationships."),
    met(
        "sync-runs-in-the-background", "issue-4 part 5", 4, "Sync runs in serve and by hand, shared by several workers."
    ),
    met("sync-progress-per-app", "issue-4 part 5", 4, "Progress is shown per app."),
    met("types-verified-in-batches", "issue-4 part 6", 4, "Each type is verified in batches, changed included."),
    met("scripts-give-user-and-app-password", "issue-4 part 7", 4, "Scripts give user and app password."),
    met(
        "nc-tools-are-listed",
        "issue-4 part 8",
        4,
        "The nc tools but the answer are listed.",
        also=("ADR-008 decision",),
    ),
    met("kb-tools-search-nextcloud-too", "issue-4 part 8", 4, "kb tools search Nextcloud content too."),
    met("dav-tested-against-real-servers", "issue-4 part 9", 4, "DAV code is tested against real servers."),
    met("double-tested-against-recordings", "issue-4 part 9", 4, "The double is tested against recorded exchanges."),
    met("random-histories-end-equal", "issue-4 part 9", 4, "Random histories end with index and server equal."),
    met(
        "nothing-shown-to-strangers",
        "issue-4 part 9",
        4,
        "At no step is anything shown to whom it does not belong.",
        also=("ADR-009 phases",),
    ),
    met("first-sync-rate", "issue-4 bars", 4, "A first sync accounts for all at 0.75 of the embedder's rate."),
    met("unchanged-account-costs-few-requests", "issue-4 bars", 4, "An unchanged account costs 60 requests and 3 s."),
    met("changed-note-searchable-in-seconds", "issue-4 bars", 4, "A changed note is searchable within 2 s."),
    met("verifying-ten-hits-is-cheap", "issue-4 bars", 4, "Verifying ten hits adds one round, or 5 ms from the cache."),
    met(
        "soak-ends-with-nothing-wrong",
        "issue-4 bars",
        4,
        "make soak ends with nothing missing, doubled, stale or wrongly gone.",
    ),
    met("large-accounts-stay-below-800-mb", "issue-4 bars", 4, "Large files and calendars stay below 800 MB."),
    met(
        "wrong-password-stops-at-once", "issue-4 bad input", 4, "A wrong or revoked password stops at once and is told."
    ),
    met("host-without-nextcloud-gets-error", "issue-4 bad input", 4, "A host that is no Nextcloud gets a clear error."),
    met(
        "credentials-never-follow-redirects",
        "issue-4 bad input",
        4,
        "Credentials never follow a redirect to another host.",
    ),
    met(
        "self-signed-certificate-needs-setting",
        "issue-4 bad input",
        4,
        "A self-signed certificate needs an explicit setting.",
    ),
    met(
        "malformed-calendars-and-cards-reported", "issue-4 bad input", 4, "Malformed calendars and cards are reported."
    ),
    met(
        "endless-rules-and-jumping-clocks",
        "issue-4 bad input",
        4,
        "Endless rules, overlapping hours and jumping clocks break nothing.",
    ),
    met(
        "very-long-notes-and-boards-indexed",
        "issue-4 bad input",
        4,
        "Very long notes and very large boards are indexed.",
    ),
    met("every-legal-file-name-works", "issue-4 bad input", 4, "Right-to-left text and every legal file name work."),
)
