"""535: semantic search over architecture models, read contexts, citations."""

from tests.requirements_data.form import Requirement, met, out_of_scope, overruled

CLAUSES: tuple[Requirement, ...] = (
    met("535-1-three-queries", "535 1", 6, "One store answers structured, full-text and semantic questions."),
    met("535-3.2-context-in-chunk", "535 3.2", 2, "Each chunk carries the context that makes it readable alone."),
    met(
        "535-3.3-element-chunk",
        "535 3.3",
        6,
        "An element's chunk has name, type, layer, capability, properties, documentation.",
    ),
    met("535-3.3-relationship-line", "535 3.3", 6, "It says each relationship by verb, target and target's type."),
    met("535-3.4-grouped", "535 3.4", 6, "Several targets of one relationship type are listed together."),
    met("535-4.1-hybrid", "535 4.1", 2, "A question runs over a dense and a sparse leg, merged without repeats."),
    met("535-4.1-parallel", "535 4.1", 2, "The two legs run at the same time."),
    overruled("535-4.2-tsvector-rank", "535 4.2", "R4", "The sparse leg asks for every word and ranks by ts_rank."),
    overruled(
        "535-4.2-rrf-order", "535 4.2", "R2", "The order shown is that of fused ranks, never of weighted scores."
    ),
    met("535-4.3-meaning-match", "535 4.3", 2, "A paraphrase without a common word is found."),
    met("535-5-semantic-search", "535 5", 6, "semanticSearch and getContext are offered by MCP."),
    met("535-5-defaults", "535 5", 6, "semanticSearch returns 10 hits of at least 0.5 by default."),
    met("535-5-filters", "535 5", 6, "Layer, element type and capability filter a search."),
    overruled("535-5-four-layers", "535 5", "TOOLS architecture", "The layer filter knows four layers."),
    met("535-5-hit-fields", "535 5", 6, "A hit has element id, name, type, layer, score and matched context."),
    overruled("535-5-array-output", "535 5", "TOOLS architecture", "semanticSearch answers with a bare array."),
    met("535-5-get-context-tokens", "535 5", 6, "getContext fills 4000 tokens by default and never more than asked."),
    met("535-5-get-context-sources", "535 5", 6, "getContext lists its sources, and relationships unless told not to."),
    met("535-5-list-elements", "535 5", 6, "listElements answers structured questions by layer and type."),
    met("535-rc-baseline", "535 5.2", 10, "With baseline_id that baseline's state is read."),
    met("535-rc-as-of", "535 5.2", 10, "With as_of the state at that time is read."),
    met("535-rc-citation", "535 5.2", 2, "Every hit carries its revision, baseline (null at HEAD) and time."),
    overruled("535-6.1-uuid-keys", "535 6.1", "R13", "Chunks are keyed by a UUID of their own."),
    overruled(
        "535-6.1-model-defaults",
        "535 6.1",
        "Later, or not at all",
        "ada-002, 1536 dimensions and ivfflat are the defaults.",
    ),
    overruled("535-6.1-english", "535 6.1", "R15", "All text is analysed as English."),
    met("535-6.3-unchanged-skip", "535 6.3", 2, "A chunk whose text is unchanged is not embedded again."),
    overruled("535-6.4-filter-after", "535 6.4", "R5", "Filters are applied after fusion."),
    overruled("535-6.4-min-score-cosine", "535 6.4", "R3", "min_score cuts the raw cosine in the dense leg."),
    overruled("535-6.4-errors-dropped", "535 6.4", "R11", "An error of one leg is ignored."),
    out_of_scope("535-10-feedback", "535 10", "a wish for the future in the seed", "Clicks improve retrieval."),
    out_of_scope("535-10-fine-tuning", "535 10", "a wish for the future in the seed", "Embeddings are fine-tuned."),
)
