"""Issue 12: many people, one server."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "jwts-checked-in-full",
        "issue-12 part 1",
        12,
        "JWTs are checked by type, algorithm, key, issuer, audience and times.",
    ),
    met(
        "opaque-tokens-are-introspected",
        "issue-12 part 1",
        12,
        "Opaque tokens are introspected at the authorization server.",
    ),
    met(
        "metadata-at-both-well-known-paths",
        "issue-12 part 1",
        12,
        "Metadata stand at both well-known paths with the tools' scopes.",
    ),
    met(
        "challenges-name-scopes-and-metadata",
        "issue-12 part 1",
        12,
        "401 and 403 name scopes and the place of the metadata.",
    ),
    met(
        "client-asks-for-a-lacking-scope", "issue-12 part 1", 12, "A client that lacks a scope asks for it and goes on."
    ),
    met(
        "real-authorization-server-works",
        "issue-12 part 1",
        12,
        "A real authorization server and the SDK client work in both eras.",
    ),
    met(
        "static-tokens-kept-as-digests",
        "issue-12 part 1",
        12,
        "Static tokens are made, listed and revoked, and kept as digests.",
    ),
    met("tools-without-scope-not-listed", "issue-12 part 2", 12, "Tools without their scope are not listed."),
    met("calls-without-scope-refused", "issue-12 part 2", 12, "Calls and reads without their scope are refused."),
    met(
        "scopes-decided-from-the-body", "issue-12 part 2", 12, "Scopes are decided from the body, never from a header."
    ),
    met(
        "dotted-scopes-accepted-in-tokens", "issue-12 part 2", 12, "Dotted spellings of scopes are accepted in tokens."
    ),
    met(
        "principal-is-issuer-and-subject",
        "issue-12 part 3",
        12,
        "A principal is issuer and subject, and a list names nobody's sources.",
    ),
    met(
        "handle-of-another-looks-unknown",
        "issue-12 part 3",
        12,
        "A handle of somebody else looks like one that never was.",
    ),
    met(
        "each-connects-a-nextcloud-by-link",
        "issue-12 part 3",
        12,
        "Each connects a Nextcloud by a link from a tool and a page.",
    ),
    met("password-key-can-be-rotated", "issue-12 part 3", 12, "A command rotates the key that encrypts app passwords."),
    met(
        "sources-granted-to-people-and-groups",
        "issue-12 part 3",
        12,
        "Sources are granted to people, groups or everyone.",
    ),
    met(
        "one-person-learns-nothing-of-another",
        "issue-12 part 3",
        12,
        "One person sees, counts and guesses nothing of another's.",
    ),
    met("server-processes-share-one-database", "issue-12 part 4", 12, "Several server processes share one database."),
    met("work-command-indexes-alone", "issue-12 part 4", 12, "`citemark work` indexes alone."),
    met(
        "use-is-bounded-per-person",
        "issue-12 part 5",
        12,
        "Body, query, concurrency and rate are bounded per principal.",
    ),
    met(
        "overlong-statements-are-ended",
        "issue-12 part 5",
        12,
        "The database ends each statement that outlasts its limit.",
    ),
    met("outside-calls-have-time-limits", "issue-12 part 5", 12, "Every outside call has a time limit."),
    met("full-queue-says-unavailable", "issue-12 part 5", 12, "A full queue answers BACKEND_UNAVAILABLE."),
    met(
        "off-loopback-needs-authentication", "issue-12 part 5", 12, "Off loopback it listens only with authentication."
    ),
    met("liveness-and-readiness-apart", "issue-12 part 6", 12, "Liveness and readiness are told apart."),
    met("metrics-have-bounded-labels", "issue-12 part 6", 12, "Prometheus metrics have bounded labels."),
    met("each-stage-has-a-trace-span", "issue-12 part 6", 12, "Each stage has an OpenTelemetry span."),
    met(
        "audit-line-without-the-question", "issue-12 part 6", 12, "Each call leaves an audit line without its question."
    ),
    met(
        "conformance-suite-runs",
        "issue-12 part 7",
        12,
        "The conformance suite runs against kernel and server.",
        tests=("tests/conformance/__main__.py", "tests/conformance/fixtures.py"),
    ),
    met(
        "handshake-sampling-over-http",
        "issue-12 part 8",
        12,
        "Sampling in the handshake era works over HTTP, or is ruled out.",
    ),
    met(
        "ten-thousand-calls-show-no-difference",
        "issue-12 bars",
        12,
        "10,000 calls show no difference, medians within 5 %.",
    ),
    met(
        "many-clients-for-five-minutes",
        "issue-12 bars",
        12,
        "64 clients for 5 minutes: no error, p95 at most 5 times the p50 of one.",
    ),
    met(
        "authentication-costs-a-millisecond",
        "issue-12 bars",
        12,
        "Authentication and scopes cost at most 1 ms at the median.",
    ),
    met(
        "bad-tokens-are-refused",
        "issue-12 bars",
        12,
        "Each bad token is refused; keys are asked for once in 5 s at most.",
    ),
    met(
        "malformed-requests-bring-no-traceback",
        "issue-12 bars",
        12,
        "10,000 malformed requests bring no 5xx and no traceback.",
    ),
)
"""What the issue titled "12" asks."""
