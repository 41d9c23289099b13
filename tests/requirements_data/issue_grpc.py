"""Issue 24: the query services over gRPC."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "grpc-one-set-of-fields",
        "issue-24 part 1",
        24,
        "Each message has the fields of the MCP tool of the same query.",
    ),
    met(
        "grpc-own-messages",
        "issue-24 part 1",
        24,
        "Phrasings, cursors and budgets are messages of their own, and comments state the caps of the tools.",
    ),
    met("grpc-long-lists", "issue-24 part 2", 24, "Long lists are streams, page by page, and a cancel stops them."),
    met("grpc-generated-code", "issue-24 part 1", 24, "The code in the package is what the contract makes."),
    met("grpc-buf-lint", "issue-24 part 1", 24, "The contract keeps the STANDARD rules of buf."),
    met("grpc-buf-breaking", "issue-24 part 1", 24, "A field number that changes is noticed."),
    met("grpc-one-gate", "issue-24 part 2", 24, "Tokens, scopes, rates, limits and the audit are those of HTTP."),
    met("grpc-health-and-reflection", "issue-24 part 2", 24, "Health for anybody; reflection suffices to ask."),
    met("grpc-beside-http", "issue-24 part 2", 24, "One process serves both transports, with the same handles."),
    met(
        "grpc-extra",
        "issue-24 part 2",
        24,
        "An extra; without it a friendly message, without --grpc nothing is loaded.",
    ),
    met("grpc-tls", "issue-24 part 2", 24, "TLS by files."),
    met("grpc-cancellation", "issue-24 part 2", 24, "Deadlines and cancellation end the call."),
    met("grpc-drain", "issue-24 part 2", 24, "An ending server finishes what runs."),
    met("grpc-errors", "issue-24 part 3", 24, "The six codes are canonical statuses with ErrorInfo and BadRequest."),
    met(
        "grpc-clients",
        "issue-24 part 4",
        24,
        "make interop tries TypeScript with generated code, Python from the wheel's stubs, and Python by reflection.",
    ),
    met("grpc-spans", "issue-24 part 2", 24, "A call has a span, and the stages of its search have theirs below it."),
    met(
        "grpc-keepalive",
        "issue-24 part 2",
        24,
        "A connection whose client vanished is closed, and a client may probe every ten seconds, during calls or not.",
    ),
    met("grpc-memory", "issue-24 bars", 24, "The extra adds at most 25 MiB to an idle server."),
    met(
        "grpc-quicker-than-http",
        "issue-24 bars",
        24,
        "A search over gRPC takes at most .9 of the time that one over HTTP takes, at 100,000 chunks.",
    ),
    met("grpc-malformed", "issue-24 bars", 24, "Malformed messages: no INTERNAL, no traceback."),
    met(
        "grpc-same-results", "issue-24 bars", 24, "Hits, order, scores, quotes and citations are those of the MCP tool."
    ),
    met("grpc-isolation", "issue-24 part 5", 24, "No method shows anything of another person."),
    met("grpc-many-clients", "issue-24 part 5", 24, "64 clients at once are answered."),
    met("grpc-answer-parts", "issue-24 part 1", 24, "Answer streams documents, then words, then the check."),
)
