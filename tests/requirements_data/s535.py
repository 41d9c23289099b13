"""535: semantic search over architecture models, read contexts, citations."""

from tests.requirements_data.form import Requirement, met, out_of_scope, overruled

CLAUSES: tuple[Requirement, ...] = (
    met(
        "one-store-for-three-query-kinds", "535 1", 6, "One store answers structured, full-text and semantic questions."
    ),
    met("chunks-are-readable-alone", "535 3.2", 2, "Each chunk carries the context that makes it readable alone."),
    met(
        "element-text-says-what-it-is",
        "535 3.3",
        6,
        "An element's chunk has name, type, layer, capability, properties, documentation.",
        also=("535 8",),
    ),
    met(
        "element-text-says-each-relationship",
        "535 3.3",
        6,
        "It says each relationship by verb, target and target's type.",
        also=("535 6.3", "535 9"),
    ),
    met(
        "targets-of-one-relationship-are-grouped",
        "535 3.4",
        6,
        "Several targets of one relationship type are listed together.",
    ),
    met(
        "dense-and-sparse-legs-are-merged",
        "535 4.1",
        2,
        "A question runs over a dense and a sparse leg, merged without repeats.",
        also=("535 4.2", "535 8"),
    ),
    met("legs-run-at-the-same-time", "535 4.1", 2, "The two legs run at the same time."),
    overruled(
        "sparse-leg-needs-every-word",
        "535 4.2",
        "R4",
        "The sparse leg asks for every word and ranks by ts_rank.",
        also=("535 6.4",),
    ),
    overruled(
        "fused-ranks-decide-the-order",
        "535 4.2",
        "R2",
        "The order shown is that of fused ranks, never of weighted scores.",
        also=("535 8",),
    ),
    met("paraphrase-is-found", "535 4.3", 2, "A paraphrase without a common word is found."),
    met(
        "element-search-and-context-are-offered",
        "535 5",
        6,
        "semanticSearch and getContext are offered by MCP.",
        also=("535 2.3", "535 8"),
    ),
    met("element-search-defaults", "535 5", 6, "semanticSearch returns 10 hits of at least 0.5 by default."),
    met("element-search-filters", "535 5", 6, "Layer, element type and capability filter a search.", also=("535 8",)),
    overruled("layer-filter-knows-four-layers", "535 5", "TOOLS architecture", "The layer filter knows four layers."),
    met("element-hit-fields", "535 5", 6, "A hit has element id, name, type, layer, score and matched context."),
    overruled(
        "element-search-returns-an-array", "535 5", "TOOLS architecture", "semanticSearch answers with a bare array."
    ),
    met(
        "element-context-keeps-its-tokens",
        "535 5",
        6,
        "getContext fills 4000 tokens by default and never more than asked.",
    ),
    met(
        "element-context-lists-its-sources",
        "535 5",
        6,
        "getContext lists its sources, and relationships unless told not to.",
    ),
    met("list-elements-by-layer-and-type", "535 5", 6, "listElements answers structured questions by layer and type."),
    met("baseline-id-reads-that-baseline", "535 5.2", 10, "With baseline_id that baseline's state is read."),
    met("as-of-reads-that-moment", "535 5.2", 10, "With as_of the state at that time is read."),
    met(
        "hits-carry-revision-baseline-and-time",
        "535 5.2",
        2,
        "Every hit carries its revision, baseline (null at HEAD) and time.",
        also=("DECISIONS R6", "TOOLS common"),
    ),
    overruled("chunks-keyed-by-uuid", "535 6.1", "R13", "Chunks are keyed by a UUID of their own."),
    overruled(
        "ada-002-and-ivfflat-are-defaults",
        "535 6.1",
        "Later, or not at all",
        "ada-002, 1536 dimensions and ivfflat are the defaults.",
        also=("535 7.1",),
    ),
    overruled("all-text-analysed-as-english", "535 6.1", "R15", "All text is analysed as English."),
    met(
        "unchanged-chunk-not-embedded-again",
        "535 6.3",
        2,
        "A chunk whose text is unchanged is not embedded again.",
        also=("535 6.1", "issue-6 part 2"),
    ),
    overruled("filters-applied-after-fusion", "535 6.4", "R5", "Filters are applied after fusion."),
    overruled("min-score-cuts-the-raw-cosine", "535 6.4", "R3", "min_score cuts the raw cosine in the dense leg."),
    overruled("error-of-one-leg-ignored", "535 6.4", "R11", "An error of one leg is ignored."),
    out_of_scope(
        "clicks-improve-retrieval", "535 10", "a wish for the future in the seed", "Clicks improve retrieval."
    ),
    out_of_scope(
        "embeddings-are-fine-tuned", "535 10", "a wish for the future in the seed", "Embeddings are fine-tuned."
    ),
)
