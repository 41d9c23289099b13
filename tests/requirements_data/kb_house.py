"""The tool-call overhaul, sections 5, 6 and 8 to 13: what stands behind the surface."""

from tests.requirements_data.form import Requirement, met, out_of_scope, overruled

CLAUSES: tuple[Requirement, ...] = (
    overruled(
        "passages-live-in-process-memory",
        "KB 5.1",
        "P5",
        "Passages live in a process's memory, least recently used go first.",
    ),
    overruled("passage-session-is-the-stdio-session", "KB 5.1", "P5", "The session of a passage is the stdio session."),
    met("concurrent-calls-keep-passages-whole", "KB 5.1", 2, "Concurrent calls do not damage the store of passages."),
    overruled("evictions-counted-and-logged", "KB 5.1", "P5", "Evictions are counted and frequent ones logged."),
    overruled("stored-passage-holds-full-text", "KB 5.1", "P5", "The stored payload of a passage holds its full text."),
    overruled("scratch-uri-names-the-project", "KB 5.2", "P5", "A multi-tenant scratch URI contains the project."),
    met("hybrid-local-expands-over-the-graph", "KB 6.1", 11, "hybrid_local expands over the graph.", also=("535 10",)),
    met(
        "graph-tools-return-projections", "KB 6.2", 11, "Graph tools return projections unless a snippet is asked for."
    ),
    met(
        "graph-descriptions-say-search-first",
        "KB 6.3",
        11,
        "Graph descriptions say: search first, narrow, and what to do without a graph.",
    ),
    overruled("tools-return-one-json-string", "KB 8.1", "P7", "Tools return one string of minified JSON."),
    met(
        "structured-results-validate",
        "KB 8.2",
        2,
        "Every structured result validates against its schema.",
        also=("KB 10.3", "KB 11.8"),
    ),
    met("every-failure-has-one-code", "KB 9.1", 2, "Every failure has one of the six codes."),
    met("unreachable-backend-is-named", "KB 9.1", 2, "A database or model that cannot be reached is named so."),
    met("call-past-deadline-is-timeout", "KB 9.1", 2, "A call past its deadline is TIMEOUT.", also=("KB 10.4",)),
    met(
        "unforeseen-errors-tell-no-internals",
        "KB 9.1",
        2,
        "Everything unforeseen is INTERNAL_ERROR and tells no internals.",
    ),
    met(
        "golden-questions-bound-calls-and-bytes",
        "KB 10.0",
        2,
        "A golden set of questions bounds calls, bytes and the top page.",
    ),
    overruled(
        "audited-project-golden-files-reused", "KB 10.0", "P10", "The audited project's own golden files are reused."
    ),
    met("scope-enforced-on-scratch-reads", "KB 10.4", 2, "Scope is enforced on reads of scratch resources too."),
    out_of_scope(
        "store-calls-are-rate-limited",
        "KB 10.4",
        "one embedded engine, no remote stores",
        "Calls to the stores are rate limited.",
    ),
    met("logs-hide-secrets-and-long-text", "KB 10.4", 2, "Secrets and long text are redacted from logs."),
    out_of_scope(
        "new-tools-go-through-a-canary",
        "KB 10.5",
        "no running deployment of ours",
        "New tools go through a canary in dev.",
    ),
    met("note-tells-users-of-old-names", "KB 10.5", 11, "A note tells users of the old names what to call now.", "P10"),
    out_of_scope(
        "published-latencies-hold",
        "KB 11.7",
        "their document; ours are the bars of the issues",
        "Published latencies hold.",
    ),
    met(
        "http-clients-bear-missing-structure",
        "KB 11.8",
        3,
        "HTTP clients parse the schemas and bear missing structuredContent.",
    ),
)
