"""The tool-call overhaul, sections 5, 6 and 8 to 13: what stands behind the surface."""

from tests.requirements_data.form import Requirement, met, out_of_scope, overruled

CLAUSES: tuple[Requirement, ...] = (
    overruled(
        "kb-5.1-lru-memory", "KB 5.1", "P5", "Passages live in a process's memory, least recently used go first."
    ),
    overruled("kb-5.1-session-from-stdio", "KB 5.1", "P5", "The session of a passage is the stdio session."),
    met("kb-5.1-concurrent-safe", "KB 5.1", 2, "Concurrent calls do not damage the store of passages."),
    overruled("kb-5.1-eviction-counter", "KB 5.1", "P5", "Evictions are counted and frequent ones logged."),
    overruled("kb-5.1-payload-text", "KB 5.1", "P5", "The stored payload of a passage holds its full text."),
    overruled("kb-5.2-project-in-uri", "KB 5.2", "P5", "A multi-tenant scratch URI contains the project."),
    met("kb-6.1-hybrid-local", "KB 6.1", 11, "hybrid_local expands over the graph.", also=("535 10",)),
    met("kb-6.2-projections", "KB 6.2", 11, "Graph tools return projections unless a snippet is asked for."),
    met(
        "kb-6.3-after-search",
        "KB 6.3",
        11,
        "Graph descriptions say: search first, narrow, and what to do without a graph.",
    ),
    overruled("kb-8.1-minified-string", "KB 8.1", "P7", "Tools return one string of minified JSON."),
    met(
        "kb-8.2-validated",
        "KB 8.2",
        2,
        "Every structured result validates against its schema.",
        also=("KB 10.3", "KB 11.8"),
    ),
    met("kb-9.1-six-codes", "KB 9.1", 2, "Every failure has one of the six codes."),
    met("kb-9.1-backend-unavailable", "KB 9.1", 2, "A database or model that cannot be reached is named so."),
    met("kb-9.1-timeout", "KB 9.1", 2, "A call past its deadline is TIMEOUT.", also=("KB 10.4",)),
    met("kb-9.1-internal-error", "KB 9.1", 2, "Everything unforeseen is INTERNAL_ERROR and tells no internals."),
    met("kb-10.0-golden-set", "KB 10.0", 2, "A golden set of questions bounds calls, bytes and the top page."),
    overruled("kb-10.0-their-golden-files", "KB 10.0", "P10", "The audited project's own golden files are reused."),
    met("kb-10.4-scope-on-scratch", "KB 10.4", 2, "Scope is enforced on reads of scratch resources too."),
    out_of_scope(
        "kb-10.4-rate-limits",
        "KB 10.4",
        "one embedded engine, no remote stores",
        "Calls to the stores are rate limited.",
    ),
    met("kb-10.4-redaction", "KB 10.4", 2, "Secrets and long text are redacted from logs."),
    out_of_scope("kb-10.5-canary", "KB 10.5", "no running deployment of ours", "New tools go through a canary in dev."),
    met("kb-10.5-migration-note", "KB 10.5", 11, "A note tells users of the old names what to call now.", "P10"),
    out_of_scope(
        "kb-11.7-their-latency",
        "KB 11.7",
        "their document; ours are the bars of the issues",
        "Published latencies hold.",
    ),
    met("kb-11.8-http-hosts", "KB 11.8", 3, "HTTP clients parse the schemas and bear missing structuredContent."),
)
