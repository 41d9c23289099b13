"""Issue 4: a person's Nextcloud."""

from tests.requirements_data.form import Requirement, met, planned

CLAUSES: tuple[Requirement, ...] = (
    met("i4-1-client", "issue-4 part 1", 4, "One thin client limits rate, retries as told, knows maintenance."),
    met("i4-1-notes", "issue-4 part 1", 4, "Notes are listed by etag and pruneBefore of the server's clock."),
    met("i4-1-dav-traps", "issue-4 part 1", 4, "Falling tokens and silently private events are noticed."),
    met("i4-1-deck", "issue-4 part 1", 4, "Boards are descended only where their time changed."),
    met("i4-1-folders", "issue-4 part 1", 4, "Folders are descended only where their etag changed; moves are seen."),
    met("i4-2-files", "issue-4 part 2", 4, "Files go through the shared extraction with size caps."),
    met("i4-2-rules", "issue-4 part 2", 4, "Files are chosen by folder, tag and type; changed rules purge."),
    planned("i4-3-text", "issue-4 part 3", 4, "Each type has a readable text."),
    planned("i4-3-url", "issue-4 part 3", 4, "Each document has a URL into the web interface."),
    planned("i4-3-filters", "issue-4 part 3", 4, "Dates, labels and categories filter."),
    planned("i4-4-links", "issue-4 part 4", 4, "Links between apps are relationships."),
    planned("i4-5-background", "issue-4 part 5", 4, "Sync runs in serve and by hand, shared by several workers."),
    planned("i4-5-progress", "issue-4 part 5", 4, "Progress is shown per app."),
    planned("i4-6-batch", "issue-4 part 6", 4, "Each type is verified in batches, changed included."),
    planned("i4-7-scripts", "issue-4 part 7", 4, "Scripts give user and app password."),
    planned("i4-8-tools", "issue-4 part 8", 4, "The nc tools but the answer are listed."),
    planned("i4-8-kb", "issue-4 part 8", 4, "kb tools search Nextcloud content too."),
    planned("i4-9-real-servers", "issue-4 part 9", 4, "DAV code is tested against real servers."),
    met("i4-9-double", "issue-4 part 9", 4, "The double is tested against recorded exchanges."),
    planned("i4-9-state-machine", "issue-4 part 9", 4, "Random histories end with index and server equal."),
    planned("i4-9-never-shown", "issue-4 part 9", 4, "At no step is anything shown to whom it does not belong."),
    planned("i4-bar-first", "issue-4 bars", 4, "A first sync accounts for all at 0.75 of the embedder's rate."),
    planned("i4-bar-unchanged", "issue-4 bars", 4, "An unchanged account costs 60 requests and 3 s."),
    planned("i4-bar-note", "issue-4 bars", 4, "A changed note is searchable within 2 s."),
    planned("i4-bar-verify", "issue-4 bars", 4, "Verifying ten hits adds one round, or 5 ms from the cache."),
    planned("i4-bar-soak", "issue-4 bars", 4, "make soak ends with nothing missing, doubled, stale or wrongly gone."),
    planned("i4-bar-memory", "issue-4 bars", 4, "Large files and calendars stay below 800 MB."),
    met("i4-bad-password", "issue-4 bad input", 4, "A wrong or revoked password stops at once and is told."),
    planned("i4-bad-host", "issue-4 bad input", 4, "A host that is no Nextcloud gets a clear error."),
    met("i4-bad-redirect", "issue-4 bad input", 4, "Credentials never follow a redirect to another host."),
    planned("i4-bad-tls", "issue-4 bad input", 4, "A self-signed certificate needs an explicit setting."),
    met("i4-bad-ical", "issue-4 bad input", 4, "Malformed calendars and cards are reported."),
    planned(
        "i4-bad-time", "issue-4 bad input", 4, "Endless rules, overlapping hours and jumping clocks break nothing."
    ),
    met("i4-bad-sizes", "issue-4 bad input", 4, "Very long notes and very large boards are indexed."),
    met("i4-bad-names", "issue-4 bad input", 4, "Right-to-left text and every legal file name work."),
)
