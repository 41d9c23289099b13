"""The tool-call overhaul, sections 1 to 4 and 7: the surface a model sees."""

from tests.requirements_data.form import Requirement, met, out_of_scope, overruled

CLAUSES: tuple[Requirement, ...] = (
    met("kb-1-uri-validation", "KB 1", 2, "A resource URI is validated before anything is read for it."),
    met("kb-1-lowlevel-server", "KB 1", 2, "The stdio server is built on the SDK's lowlevel Server."),
    met("kb-1-sdk-pinned", "KB 1", 2, "The MCP SDK is pinned to a range that has lowlevel server and stdio.", "P1"),
    met(
        "kb-1-name-alphabet", "KB 1", 2, "A tool name is 1 to 64 letters, digits, underscores, hyphens and dots.", "P6"
    ),
    overruled("kb-1-name-slash", "KB 1", "P6", "A tool name may contain a slash."),
    met(
        "kb-1-resources-optional",
        "KB 1",
        2,
        "All text behind a scratch URI is reachable by bounded tools too.",
        also=("KB 11.8",),
    ),
    met("kb-1-name-server-local", "KB 1", 2, "A tool name carries no qualifier of a host or server."),
    met("kb-1-graph-local-search", "KB 1", 11, "Graph retrieval starts at the best hits and gathers linked text."),
    out_of_scope(
        "kb-1-graph-global-search", "KB 1", "no community reports exist", "Global search maps over community summaries."
    ),
    met("kb-2.1-instructions-true", "KB 2.1", 2, "Server instructions name only tools and parameters that exist."),
    met("kb-3.1-legacy-signature", "KB 3.1", 11, "Legacy tools keep their parameters and defaults.", "P10"),
    met("kb-3.1-legacy-shape", "KB 3.1", 11, "Legacy results keep their shape unless debug is declined.", "P10"),
    met(
        "kb-3.1-debug-on-request",
        "KB 3.1",
        2,
        "Debug fields come back when asked for, and only then.",
        also=("KB 2.2",),
    ),
    met("kb-3.2-never-unbounded", "KB 3.2", 2, "No tool can be made to return unbounded text.", also=("KB 5.3",)),
    met("kb-3.3-scope-accepted", "KB 3.3", 2, "Every query tool accepts a scope and the server enforces it."),
    met(
        "kb-3.3-scope-default",
        "KB 3.3",
        2,
        "The default scope comes from configuration, not from the model.",
        also=("KB 4.2",),
    ),
    met("kb-4.1-kb-family", "KB 4.1", 2, "The five kb tools exist under their names."),
    met("kb-4.1-graph-family", "KB 4.1", 11, "The seven graph tools exist under graph."),
    met("kb-4.2-scope-keys", "KB 4.2", 2, "Environment, doc_tags and repositories are enforced in the queries."),
    met(
        "kb-4.2-scope-mismatch",
        "KB 4.2",
        2,
        "A project_id not of this server is SCOPE_VIOLATION, on every tool.",
        also=("KB 11.5", "KB 9.1"),
    ),
    met(
        "kb-4.3-defaults", "KB 4.3", 2, "kb.search returns 5 hits, at most two of a page, unless told otherwise.", "R20"
    ),
    met("kb-4.3-no-section-text", "KB 4.3", 2, "kb.search never returns a whole section.", also=("KB 11.1",)),
    met(
        "kb-4.3-preview-best-span",
        "KB 4.3",
        2,
        "A preview is one to three sentences of best overlap, not the text's start.",
    ),
    met("kb-4.3-preview-clipped", "KB 4.3", 2, "A preview is never longer than max_snippet_chars (280)."),
    met("kb-4.3-filter-path-prefix", "KB 4.3", 2, "filters.path_prefix really filters."),
    met("kb-4.3-filter-updated-after", "KB 4.3", 2, "filters.updated_after takes ISO 8601 and really filters."),
    met("kb-4.3-scores-off", "KB 4.3", 2, "score is left out unless include_scores is set."),
    met("kb-4.3-mode", "KB 4.3", 2, "options.mode takes auto, vector_only and hybrid_local and nothing else."),
    met(
        "kb-4.3-hit-fields", "KB 4.3", 2, "A hit names passage, section, tag, title, rank, way found, size and anchor."
    ),
    overruled("kb-4.3-text-into-scratch", "KB 4.3", "P5", "A search copies the full text of its hits into scratch."),
    met(
        "kb-4.4-caps",
        "KB 4.4",
        2,
        "read_excerpt gives 300 tokens by default, never over 800 or 32 KiB.",
        also=("KB 11.2", "KB 3.2"),
    ),
    met("kb-4.4-reading-on", "KB 4.4", 2, "Following next_start_char to the end reads the passage exactly once."),
    met("kb-4.4-citation-option", "KB 4.4", 2, "An excerpt has its citation unless include_citation is false."),
    met("kb-4.5-deltas", "KB 4.5", 2, "expand_excerpt adds up to 150 tokens each side by default, bounded."),
    met(
        "kb-4.6-only-quotes",
        "KB 4.6",
        2,
        "Evidence tools return quotes and citations, never a whole text.",
        also=("KB 4.7",),
    ),
    met("kb-4.6-defaults", "KB 4.6", 2, "By default 6 quotes of 80 tokens with 20 tokens of context."),
    met("kb-4.6-quote-fields", "KB 4.6", 2, "A quote names passage, section, title, URI and confidence."),
    met("kb-4.6.1-lowercase", "KB 4.6.1", 2, "The question is lowercased and split at whatever is no letter or digit."),
    met("kb-4.6.1-short-tokens", "KB 4.6.1", 2, "Question tokens below three characters are dropped.", "R9"),
    met("kb-4.6.1-split", "KB 4.6.1", 2, "Text splits at blank lines, bullets and ends of sentences."),
    met("kb-4.6.1-overlap", "KB 4.6.1", 2, "A span scores the share of the question's tokens in it, 0 without tokens."),
    met("kb-4.6.1-ties", "KB 4.6.1", 2, "Of spans of one score the shorter goes first, then the earlier."),
    met("kb-4.6.1-across", "KB 4.6.1", 2, "The best spans are chosen across all the given passages."),
    met("kb-4.6.1-char-cap", "KB 4.6.1", 2, "A quote is also cut at 500 characters."),
    met(
        "kb-4.6.1-stable",
        "KB 4.6.1",
        2,
        "The same question and passages give the same quotes, without a model.",
        also=("KB 4.6",),
    ),
    met(
        "kb-4.7-one-call",
        "KB 4.7",
        2,
        "retrieve_evidence searches the top 5 pages and quotes in one call.",
        also=("KB 10.2", "KB 11.4", "TOOLS kb"),
    ),
    met(
        "kb-4.7-recommended",
        "KB 4.7",
        2,
        "Descriptions and playbook send a model to retrieve_evidence first.",
        also=("KB 10.2", "KB 13.2"),
    ),
    met("kb-7.1-defaults", "KB 7.1", 2, "Each description states defaults and caps, and they are the real ones."),
)
