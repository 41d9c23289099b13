"""TOOLS: what every tool has in common, the kb family, resources and prompts."""

from tests.requirements_data.form import Requirement, planned

CLAUSES: tuple[Requirement, ...] = (
    planned("tools-families-work", "TOOLS common", 2, "A family is listed only where it can work."),
    planned("tools-no-database-wait", "TOOLS common", 2, "Listing tools does not wait for the database."),
    planned("tools-list-48k", "TOOLS common", 2, "At most 30 tools are listed, in at most 48 KiB."),
    planned("tools-token-estimate", "TOOLS common", 2, "A token is a quarter of the UTF-8 bytes, rounded up."),
    planned("tools-result-48k", "TOOLS common", 2, "A result weighs at most 48 KiB, text and structure together."),
    planned("tools-top-k-total", "TOOLS common", 2, "top_k is the total over all pages."),
    planned("tools-budget-exceeded", "TOOLS common", 2, "BUDGET_EXCEEDED only where not one item can be shown."),
    planned("tools-list-cap", "TOOLS common", 6, "Lists page by at most 100."),
    planned("tools-nc-caps", "TOOLS common", 4, "nc tools cap limit at 50."),
    planned("tools-answer-cap", "TOOLS common", 5, "max_answer_tokens is at most 2,000."),
    planned("tools-architecture-caps", "TOOLS common", 6, "top_k is at most 50, getContext at most 16,000 tokens."),
    planned("tools-schemas-frozen", "TOOLS common", 2, "A removed or retyped output field fails a snapshot test."),
    planned("tools-read-context", "TOOLS common", 2, "Query tools take read_context and refuse two kinds at once."),
    planned("tools-scope-or-and", "TOOLS common", 2, "Values of one scope key are OR, keys are AND."),
    planned("tools-scope-per-source", "TOOLS common", 2, "Scope values are set per source when it is added."),
    planned("tools-passage-pins", "TOOLS common", 2, "A passage pins its read context; another is INVALID_ARGUMENT."),
    planned("tools-common-output", "TOOLS common", 2, "Results have read context, partial, reason, cursor and usage."),
    planned("tools-description-order", "TOOLS common", 2, "Descriptions have their five parts in the ruled order."),
    planned("tools-annotations", "TOOLS common", 2, "All four annotations are set on every tool."),
    planned("tools-only-writers", "TOOLS common", 4, "Only enable and disable write; disable is destructive."),
    planned("tools-text-alone", "TOOLS common", 2, "The text alone shows passages with citations."),
    planned("tools-error-text", "TOOLS common", 2, "The text of a failure says the error and its fix."),
    planned(
        "tools-kb-clamps", "TOOLS kb", 2, "Every number of a kb call has its default and its cap; none exceeds it."
    ),
    planned("tools-kb-out-of-range", "TOOLS kb", 2, "A number out of range is never obeyed silently."),
    planned("tools-kb-auto-mode", "TOOLS kb", 2, "auto falls to vector_only where the fence has no graph."),
    planned("tools-kb-vector-only-text", "TOOLS kb", 2, "vector_only keeps the full-text leg."),
    planned("tools-kb-debug", "TOOLS kb", 2, "include_debug adds ranks per leg and parts of the score."),
    planned("tools-kb-debug-path", "TOOLS kb", 0, "include_debug adds the path over the graph."),
    planned("tools-kb-every-value", "TOOLS kb", 2, "Every value of a filter's list counts."),
    planned("tools-kb-min-score", "TOOLS kb", 2, "Hits below options.min_score are not shown."),
    planned("tools-kb-bullet-lines", "TOOLS kb", 2, "The bullets format is one line per span."),
    planned("tools-kb-expand-best-span", "TOOLS kb", 2, "expand_excerpt grows around the best span."),
    planned("tools-kb-expand-crosses", "TOOLS kb", 2, "expand_excerpt may cross chunks inside the revision."),
    planned("tools-kb-confidence", "TOOLS kb", 2, "A quote's confidence is its overlap score."),
    planned("tools-kb-dedupe-fills", "TOOLS kb", 2, "Deduplication never starves a page."),
    planned("tools-kb-visit-once", "TOOLS kb", 2, "Following cursors to the end visits each hit once."),
    planned(
        "tools-kb-char-offsets", "TOOLS kb", 2, "Offsets count characters, and text is cut on a character boundary."
    ),
    planned(
        "tools-kb-unknown-passage", "TOOLS kb", 2, "An unknown passage is INVALID_ARGUMENT that says to search again."
    ),
    planned(
        "tools-kb-verify-quote",
        "TOOLS kb",
        2,
        "kb.verify_quote takes a citation and a quote and names the current revision.",
    ),
    planned("tools-kb-verify-verdicts", "TOOLS kb", 2, "A quote holds exactly, moved, changed or is gone."),
    planned("tools-graph-one", "TOOLS graph", 0, "One graph spans documents, sections, entities and elements."),
    planned("tools-graph-caps", "TOOLS graph", 0, "Hops, paths, nodes and pages of graph tools are capped."),
    planned("tools-graph-edges-cited", "TOOLS graph", 0, "An edge has type, direction and a citation."),
    planned("tools-graph-none", "TOOLS graph", 0, "Without a graph the tools are BACKEND_UNAVAILABLE with advice."),
    planned("tools-graph-deterministic", "TOOLS graph", 0, "Edges are found without a model."),
    planned("tools-graph-fence", "TOOLS graph", 0, "An edge is seen only with both ends in the fence."),
    planned("tools-scratch-template", "TOOLS resources", 2, "The scratch template is citemark:// and text/plain."),
    planned(
        "tools-scratch-annotations", "TOOLS resources", 2, "A passage has audience, priority and last modification."
    ),
    planned("tools-scratch-link-size", "TOOLS resources", 2, "The size stands on the resource link."),
    planned("tools-playbook", "TOOLS resources", 2, "The playbook says on one page how to use the tools."),
    planned("tools-prompt-evidence", "TOOLS prompts", 2, "The prompt answer_with_evidence exists."),
    planned("tools-prompt-impact", "TOOLS prompts", 0, "The prompt impact_of_change exists."),
    planned("tools-prompt-changed", "TOOLS prompts", 0, "The prompt what_changed exists."),
)
