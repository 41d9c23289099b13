"""The tool-call overhaul, sections 1 to 4 and 7: the surface a model sees."""

from tests.requirements_data.form import Requirement, met, out_of_scope, overruled

CLAUSES: tuple[Requirement, ...] = (
    met(
        "resource-uri-validated-before-reading",
        "KB 1",
        2,
        "A resource URI is validated before anything is read for it.",
    ),
    met("stdio-server-uses-lowlevel-sdk", "KB 1", 2, "The stdio server is built on the SDK's lowlevel Server."),
    met(
        "mcp-sdk-range-is-pinned",
        "KB 1",
        2,
        "The MCP SDK is pinned to a range that has lowlevel server and stdio.",
        "P1",
    ),
    met(
        "tool-names-use-plain-characters",
        "KB 1",
        2,
        "A tool name is 1 to 64 letters, digits, underscores, hyphens and dots.",
        "P6",
    ),
    overruled("tool-names-may-have-slashes", "KB 1", "P6", "A tool name may contain a slash."),
    met(
        "scratch-text-reachable-by-tools",
        "KB 1",
        2,
        "All text behind a scratch URI is reachable by bounded tools too.",
        also=("KB 11.8",),
    ),
    met("tool-names-carry-no-server-qualifier", "KB 1", 2, "A tool name carries no qualifier of a host or server."),
    met(
        "graph-retrieval-starts-at-best-hits",
        "KB 1",
        11,
        "Graph retrieval starts at the best hits and gathers linked text.",
    ),
    out_of_scope(
        "global-search-over-community-summaries",
        "KB 1",
        "no community reports exist",
        "Global search maps over community summaries.",
    ),
    met(
        "instructions-name-only-what-exists",
        "KB 2.1",
        2,
        "Server instructions name only tools and parameters that exist.",
    ),
    met("legacy-tools-keep-parameters", "KB 3.1", 11, "Legacy tools keep their parameters and defaults.", "P10"),
    met(
        "legacy-results-keep-their-shape",
        "KB 3.1",
        11,
        "Legacy results keep their shape unless debug is declined.",
        "P10",
    ),
    met(
        "debug-fields-only-on-request",
        "KB 3.1",
        2,
        "Debug fields come back when asked for, and only then.",
        also=("KB 2.2",),
    ),
    met(
        "no-tool-returns-unbounded-text", "KB 3.2", 2, "No tool can be made to return unbounded text.", also=("KB 5.3",)
    ),
    met(
        "every-query-tool-enforces-a-scope", "KB 3.3", 2, "Every query tool accepts a scope and the server enforces it."
    ),
    met(
        "default-scope-comes-from-settings",
        "KB 3.3",
        2,
        "The default scope comes from configuration, not from the model.",
        also=("KB 4.2",),
    ),
    met("five-kb-tools-exist", "KB 4.1", 2, "The five kb tools exist under their names."),
    met("seven-graph-tools-exist", "KB 4.1", 11, "The seven graph tools exist under graph."),
    met(
        "scope-keys-enforced-in-queries",
        "KB 4.2",
        2,
        "Environment, doc_tags and repositories are enforced in the queries.",
    ),
    met(
        "foreign-project-is-a-scope-violation",
        "KB 4.2",
        2,
        "A project_id not of this server is SCOPE_VIOLATION, on every tool.",
        also=("KB 11.5", "KB 9.1"),
    ),
    met(
        "kb-search-default-hits",
        "KB 4.3",
        2,
        "kb.search returns 5 hits, at most two of a page, unless told otherwise.",
        "R20",
    ),
    met(
        "kb-search-returns-no-section-text", "KB 4.3", 2, "kb.search never returns a whole section.", also=("KB 11.1",)
    ),
    met(
        "preview-shows-the-best-span",
        "KB 4.3",
        2,
        "A preview is one to three sentences of best overlap, not the text's start.",
    ),
    met("preview-keeps-max-snippet-chars", "KB 4.3", 2, "A preview is never longer than max_snippet_chars (280)."),
    met("path-prefix-really-filters", "KB 4.3", 2, "filters.path_prefix really filters."),
    met("updated-after-really-filters", "KB 4.3", 2, "filters.updated_after takes ISO 8601 and really filters."),
    met("scores-only-if-asked-for", "KB 4.3", 2, "score is left out unless include_scores is set."),
    met(
        "kb-search-knows-three-modes",
        "KB 4.3",
        2,
        "options.mode takes auto, vector_only and hybrid_local and nothing else.",
    ),
    met(
        "kb-search-hit-fields",
        "KB 4.3",
        2,
        "A hit names passage, section, tag, title, rank, way found, size and anchor.",
    ),
    overruled(
        "search-copies-text-into-scratch", "KB 4.3", "P5", "A search copies the full text of its hits into scratch."
    ),
    met(
        "read-excerpt-default-and-caps",
        "KB 4.4",
        2,
        "read_excerpt gives 300 tokens by default, never over 800 or 32 KiB.",
        also=("KB 11.2", "KB 3.2"),
    ),
    met(
        "reading-on-covers-a-passage-once",
        "KB 4.4",
        2,
        "Following next_start_char to the end reads the passage exactly once.",
    ),
    met(
        "excerpt-citation-can-be-declined", "KB 4.4", 2, "An excerpt has its citation unless include_citation is false."
    ),
    met(
        "expand-excerpt-default-growth",
        "KB 4.5",
        2,
        "expand_excerpt adds up to 150 tokens each side by default, bounded.",
    ),
    met(
        "evidence-tools-return-only-quotes",
        "KB 4.6",
        2,
        "Evidence tools return quotes and citations, never a whole text.",
        also=("KB 4.7",),
    ),
    met(
        "evidence-default-quotes-and-tokens", "KB 4.6", 2, "By default 6 quotes of 80 tokens with 20 tokens of context."
    ),
    met("quote-fields", "KB 4.6", 2, "A quote names passage, section, title, URI and confidence."),
    met(
        "question-lowercased-and-split",
        "KB 4.6.1",
        2,
        "The question is lowercased and split at whatever is no letter or digit.",
    ),
    met("short-question-words-are-dropped", "KB 4.6.1", 2, "Question tokens below three characters are dropped.", "R9"),
    met(
        "spans-split-at-blanks-bullets-sentences",
        "KB 4.6.1",
        2,
        "Text splits at blank lines, bullets and ends of sentences.",
    ),
    met(
        "span-score-is-word-overlap",
        "KB 4.6.1",
        2,
        "A span scores the share of the question's tokens in it, 0 without tokens.",
    ),
    met(
        "shorter-then-earlier-span-wins",
        "KB 4.6.1",
        2,
        "Of spans of one score the shorter goes first, then the earlier.",
    ),
    met("best-spans-across-all-passages", "KB 4.6.1", 2, "The best spans are chosen across all the given passages."),
    met("quotes-cut-at-500-characters", "KB 4.6.1", 2, "A quote is also cut at 500 characters."),
    met(
        "same-question-gives-same-quotes",
        "KB 4.6.1",
        2,
        "The same question and passages give the same quotes, without a model.",
        also=("KB 4.6",),
    ),
    met(
        "retrieve-evidence-in-one-call",
        "KB 4.7",
        2,
        "retrieve_evidence searches the top 5 pages and quotes in one call.",
        also=("KB 10.2", "KB 11.4", "TOOLS kb"),
    ),
    met(
        "retrieve-evidence-is-recommended-first",
        "KB 4.7",
        2,
        "Descriptions and playbook send a model to retrieve_evidence first.",
        also=("KB 10.2", "KB 13.2"),
    ),
    met(
        "descriptions-state-real-defaults",
        "KB 7.1",
        2,
        "Each description states defaults and caps, and they are the real ones.",
    ),
)
