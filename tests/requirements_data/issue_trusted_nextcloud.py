"""Issue 21, 21.1 to 21.8: Nextcloud as people run it."""

from tests.requirements_data.form import Requirement, met, missed

CLAUSES: tuple[Requirement, ...] = (
    met(
        "first-401-is-one-request",
        "issue-21 2",
        21,
        "The first 401 is one request, and so is each later try, whoever runs.",
    ),
    met(
        "refused-passwords-tried-few-a-day",
        "issue-21 2",
        21,
        "Tries of a refused password back off, and a server sees a few a day.",
    ),
    met(
        "asking-people-get-an-immediate-try",
        "issue-21 2",
        21,
        "A person who asks for status or enables the sync gets a try at once.",
    ),
    met(
        "no-impossible-scan-promised",
        "issue-21 2",
        21,
        "No scan is promised that cannot begin, and advice fits its reader.",
    ),
    met(
        "late-verdicts-serve-the-next-question",
        "issue-21 3",
        21,
        "Verdicts that arrive after the deadline are used by the next question.",
    ),
    met(
        "deadline-follows-source-median",
        "issue-21 3",
        21,
        "The deadline follows a source's median, up to a cap that the result names.",
    ),
    met(
        "question-sends-few-checks", "issue-21 3", 21, "One question sends no more checks than it can show plus a page."
    ),
    met(
        "server-in-maintenance-asked-once",
        "issue-21 3",
        21,
        "A server in maintenance is asked once and named so, by status too.",
    ),
    met(
        "locked-folder-asked-one-by-one",
        "issue-21 3",
        21,
        "After a 423, notes of that folder are asked for one after another.",
    ),
    met(
        "old-container-names-not-shown",
        "issue-21 4",
        21,
        "Old names of boards, stacks, labels and calendars are not shown.",
    ),
    met(
        "old-attachment-names-not-shown",
        "issue-21 4",
        21,
        "An attachment renamed in Files is not shown by its old name.",
    ),
    met(
        "handle-reads-say-verdict-age",
        "issue-21 4",
        21,
        "What is read by handle or reopened says how old its verdict is.",
    ),
    met(
        "confidential-capable-types-asked-each-time",
        "issue-21 4",
        21,
        "What can be made confidential is asked about each time.",
    ),
    met(
        "unlisted-calendar-name-not-shown",
        "issue-21 4",
        21,
        "A calendar that answers but is not listed is not shown by its old name.",
    ),
    met(
        "remembered-verdicts-say-their-age",
        "issue-21 4",
        21,
        "A result with verdicts from memory says how old the oldest one is.",
    ),
    met(
        "vectors-made-by-value",
        "issue-21 5",
        21,
        "Vectors are made by value: first passages, short, recent, long, logs.",
    ),
    met(
        "long-log-has-limited-vectors",
        "issue-21 5",
        21,
        "A log has vectors for its first hundred chunks, and its document says so.",
    ),
    met(
        "progress-counts-documents-found-by-meaning",
        "issue-21 5",
        21,
        "Progress counts documents that can be found by meaning.",
    ),
    met(
        "log-adds-one-early-passage",
        "issue-21 bars",
        21,
        "A log adds one passage to what is embedded before all others have vectors.",
    ),
    missed(
        "log-delays-others-little",
        "issue-21 bars",
        21,
        "A log of 5 MB delays the time until all others are found by meaning by 1.3x at most.",
        "1.42x by the clock: a sync reads all texts before it makes vectors",
    ),
    met(
        "day-of-events-shows-nothing-stale",
        "issue-21 day",
        21,
        "A day of events, each after 0, 5 and 60 s: nothing stale, false or lost.",
    ),
    met(
        "connection-mistakes-say-what-to-do",
        "issue-21 6",
        21,
        "A wrong scheme, a captive portal and a redirect each say what to do.",
    ),
    met(
        "missing-apps-are-not-asked",
        "issue-21 6",
        21,
        "A server without Notes or Deck is read without them, and they are not asked.",
    ),
    met(
        "nextcloud-31-folders-are-folders",
        "issue-21 6",
        21,
        "What Nextcloud 31 sends for a folder is not taken for a file.",
    ),
    met(
        "login-link-shown-as-qr-code",
        "issue-21 6",
        21,
        "The terminal shows the login link as a QR code for another device.",
    ),
    met(
        "declining-client-gets-quotes-at-once",
        "issue-21 8",
        21,
        "A client that declined once in a session gets quotes at once.",
    ),
    met(
        "addresses-open-without-rewriting",
        "issue-21 1",
        21,
        "Every type's address opens on a server without rewriting, in a folder too.",
    ),
    met(
        "terminal-prints-document-addresses",
        "issue-21 1",
        21,
        "The terminal prints the address of what an account's document cites.",
    ),
    met(
        "disabled-account-hidden-at-once",
        "issue-21 7",
        21,
        "From the call of nc_disable_vector_sync on nothing of an account is found.",
    ),
    met("reenabled-account-goes-on", "issue-21 7", 21, "Enabled within a day, an account goes on where it was."),
    met(
        "disabled-account-erased-after-a-day",
        "issue-21 7",
        21,
        "What came from a disabled account is erased after a day, confirmed at once.",
    ),
    met("scan-after-disable-writes-nothing", "issue-21 7", 21, "A scan that ends after a disable writes nothing."),
)
