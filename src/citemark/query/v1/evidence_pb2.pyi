from citemark.query.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SearchOptions(_message.Message):
    __slots__ = ("max_snippet_chars", "max_per_doc", "include_scores", "include_debug", "mode", "min_score")
    MAX_SNIPPET_CHARS_FIELD_NUMBER: _ClassVar[int]
    MAX_PER_DOC_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_SCORES_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DEBUG_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    max_snippet_chars: int
    max_per_doc: int
    include_scores: bool
    include_debug: bool
    mode: str
    min_score: float
    def __init__(self, max_snippet_chars: _Optional[int] = ..., max_per_doc: _Optional[int] = ..., include_scores: _Optional[bool] = ..., include_debug: _Optional[bool] = ..., mode: _Optional[str] = ..., min_score: _Optional[float] = ...) -> None: ...

class EvidenceServiceSearchRequest(_message.Message):
    __slots__ = ("query", "also", "top_k", "cursor", "page_size", "scope", "filters", "read_context", "options")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    query: str
    also: _common_pb2.Also
    top_k: int
    cursor: _common_pb2.Cursor
    page_size: int
    scope: _common_pb2.Scope
    filters: _common_pb2.Filters
    read_context: _common_pb2.ReadContext
    options: SearchOptions
    def __init__(self, query: _Optional[str] = ..., also: _Optional[_Union[_common_pb2.Also, _Mapping]] = ..., top_k: _Optional[int] = ..., cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., page_size: _Optional[int] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., filters: _Optional[_Union[_common_pb2.Filters, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., options: _Optional[_Union[SearchOptions, _Mapping]] = ...) -> None: ...

class Why(_message.Message):
    __slots__ = ("vector_rank", "bm25_rank", "cosine", "bm25", "bm25_upper_bound", "relevance", "rrf", "graph_path", "phrasing")
    VECTOR_RANK_FIELD_NUMBER: _ClassVar[int]
    BM25_RANK_FIELD_NUMBER: _ClassVar[int]
    COSINE_FIELD_NUMBER: _ClassVar[int]
    BM25_FIELD_NUMBER: _ClassVar[int]
    BM25_UPPER_BOUND_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    RRF_FIELD_NUMBER: _ClassVar[int]
    GRAPH_PATH_FIELD_NUMBER: _ClassVar[int]
    PHRASING_FIELD_NUMBER: _ClassVar[int]
    vector_rank: int
    bm25_rank: int
    cosine: float
    bm25: float
    bm25_upper_bound: float
    relevance: float
    rrf: float
    graph_path: _containers.RepeatedScalarFieldContainer[str]
    phrasing: str
    def __init__(self, vector_rank: _Optional[int] = ..., bm25_rank: _Optional[int] = ..., cosine: _Optional[float] = ..., bm25: _Optional[float] = ..., bm25_upper_bound: _Optional[float] = ..., relevance: _Optional[float] = ..., rrf: _Optional[float] = ..., graph_path: _Optional[_Iterable[str]] = ..., phrasing: _Optional[str] = ...) -> None: ...

class Hit(_message.Message):
    __slots__ = ("passage_id", "section_id", "doc_tag", "title", "rank", "score", "source", "preview", "scratch_uri", "size_bytes", "anchor", "citation", "also_in", "when", "date", "why")
    PASSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOC_TAG_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    SCRATCH_URI_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    ALSO_IN_FIELD_NUMBER: _ClassVar[int]
    WHEN_FIELD_NUMBER: _ClassVar[int]
    DATE_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    passage_id: str
    section_id: str
    doc_tag: str
    title: str
    rank: int
    score: float
    source: str
    preview: str
    scratch_uri: str
    size_bytes: int
    anchor: str
    citation: _common_pb2.Citation
    also_in: _containers.RepeatedScalarFieldContainer[str]
    when: str
    date: str
    why: Why
    def __init__(self, passage_id: _Optional[str] = ..., section_id: _Optional[str] = ..., doc_tag: _Optional[str] = ..., title: _Optional[str] = ..., rank: _Optional[int] = ..., score: _Optional[float] = ..., source: _Optional[str] = ..., preview: _Optional[str] = ..., scratch_uri: _Optional[str] = ..., size_bytes: _Optional[int] = ..., anchor: _Optional[str] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., also_in: _Optional[_Iterable[str]] = ..., when: _Optional[str] = ..., date: _Optional[str] = ..., why: _Optional[_Union[Why, _Mapping]] = ...) -> None: ...

class EvidenceServiceSearchResponse(_message.Message):
    __slots__ = ("results", "confidence", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_REASON_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_UNVERIFIED_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    EMPTY_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[Hit]
    confidence: float
    read_context: _common_pb2.ReadContext
    partial: bool
    limit_reason: str
    next_cursor: _common_pb2.Cursor
    usage: _common_pb2.Usage
    withheld_unverified: int
    session_id: str
    notes: _containers.RepeatedScalarFieldContainer[str]
    empty_reason: str
    empty_message: str
    incomplete: _common_pb2.Incomplete
    def __init__(self, results: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ..., confidence: _Optional[float] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class EvidenceBudget(_message.Message):
    __slots__ = ("max_bytes", "max_quotes", "max_quote_tokens", "include_context_tokens")
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_QUOTES_FIELD_NUMBER: _ClassVar[int]
    MAX_QUOTE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_CONTEXT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    max_bytes: int
    max_quotes: int
    max_quote_tokens: int
    include_context_tokens: int
    def __init__(self, max_bytes: _Optional[int] = ..., max_quotes: _Optional[int] = ..., max_quote_tokens: _Optional[int] = ..., include_context_tokens: _Optional[int] = ...) -> None: ...

class RetrieveEvidenceRequest(_message.Message):
    __slots__ = ("question", "also", "top_k", "scope", "filters", "read_context", "budget")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    question: str
    also: _common_pb2.Also
    top_k: int
    scope: _common_pb2.Scope
    filters: _common_pb2.Filters
    read_context: _common_pb2.ReadContext
    budget: EvidenceBudget
    def __init__(self, question: _Optional[str] = ..., also: _Optional[_Union[_common_pb2.Also, _Mapping]] = ..., top_k: _Optional[int] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., filters: _Optional[_Union[_common_pb2.Filters, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., budget: _Optional[_Union[EvidenceBudget, _Mapping]] = ...) -> None: ...

class Quote(_message.Message):
    __slots__ = ("quote", "header", "side", "more", "cut", "passage_id", "word_share", "confidence", "citation", "when", "date")
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    PASSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    WORD_SHARE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    WHEN_FIELD_NUMBER: _ClassVar[int]
    DATE_FIELD_NUMBER: _ClassVar[int]
    quote: str
    header: str
    side: str
    more: int
    cut: str
    passage_id: str
    word_share: float
    confidence: float
    citation: _common_pb2.Citation
    when: str
    date: str
    def __init__(self, quote: _Optional[str] = ..., header: _Optional[str] = ..., side: _Optional[str] = ..., more: _Optional[int] = ..., cut: _Optional[str] = ..., passage_id: _Optional[str] = ..., word_share: _Optional[float] = ..., confidence: _Optional[float] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., when: _Optional[str] = ..., date: _Optional[str] = ...) -> None: ...

class RetrieveEvidenceResponse(_message.Message):
    __slots__ = ("quotes", "confidence", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    QUOTES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_REASON_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_UNVERIFIED_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    EMPTY_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    quotes: _containers.RepeatedCompositeFieldContainer[Quote]
    confidence: float
    read_context: _common_pb2.ReadContext
    partial: bool
    limit_reason: str
    next_cursor: _common_pb2.Cursor
    usage: _common_pb2.Usage
    withheld_unverified: int
    session_id: str
    notes: _containers.RepeatedScalarFieldContainer[str]
    empty_reason: str
    empty_message: str
    incomplete: _common_pb2.Incomplete
    def __init__(self, quotes: _Optional[_Iterable[_Union[Quote, _Mapping]]] = ..., confidence: _Optional[float] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class ExcerptOptions(_message.Message):
    __slots__ = ("format", "include_citation")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_CITATION_FIELD_NUMBER: _ClassVar[int]
    format: str
    include_citation: bool
    def __init__(self, format: _Optional[str] = ..., include_citation: _Optional[bool] = ...) -> None: ...

class ExcerptBudget(_message.Message):
    __slots__ = ("max_tokens",)
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    max_tokens: int
    def __init__(self, max_tokens: _Optional[int] = ...) -> None: ...

class ReadExcerptRequest(_message.Message):
    __slots__ = ("passage_id", "budget", "start_char", "scope", "read_context", "options")
    PASSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    START_CHAR_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    passage_id: str
    budget: ExcerptBudget
    start_char: int
    scope: _common_pb2.Scope
    read_context: _common_pb2.ReadContext
    options: ExcerptOptions
    def __init__(self, passage_id: _Optional[str] = ..., budget: _Optional[_Union[ExcerptBudget, _Mapping]] = ..., start_char: _Optional[int] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., options: _Optional[_Union[ExcerptOptions, _Mapping]] = ...) -> None: ...

class ReadExcerptResponse(_message.Message):
    __slots__ = ("passage_id", "excerpt", "truncated", "start_char", "next_passage_id", "next_start_char", "offsets_of", "citation", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    PASSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    EXCERPT_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    START_CHAR_FIELD_NUMBER: _ClassVar[int]
    NEXT_PASSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    NEXT_START_CHAR_FIELD_NUMBER: _ClassVar[int]
    OFFSETS_OF_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_REASON_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_UNVERIFIED_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    EMPTY_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    passage_id: str
    excerpt: str
    truncated: bool
    start_char: int
    next_passage_id: str
    next_start_char: int
    offsets_of: str
    citation: _common_pb2.Citation
    read_context: _common_pb2.ReadContext
    partial: bool
    limit_reason: str
    next_cursor: _common_pb2.Cursor
    usage: _common_pb2.Usage
    withheld_unverified: int
    session_id: str
    notes: _containers.RepeatedScalarFieldContainer[str]
    empty_reason: str
    empty_message: str
    incomplete: _common_pb2.Incomplete
    def __init__(self, passage_id: _Optional[str] = ..., excerpt: _Optional[str] = ..., truncated: _Optional[bool] = ..., start_char: _Optional[int] = ..., next_passage_id: _Optional[str] = ..., next_start_char: _Optional[int] = ..., offsets_of: _Optional[str] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class VerifyQuoteRequest(_message.Message):
    __slots__ = ("citation", "quote")
    CITATION_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    citation: _common_pb2.Citation
    quote: str
    def __init__(self, citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., quote: _Optional[str] = ...) -> None: ...

class VerifyQuoteResponse(_message.Message):
    __slots__ = ("holds", "cited_revision", "reason", "found_at", "current_revision_id", "difference", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    HOLDS_FIELD_NUMBER: _ClassVar[int]
    CITED_REVISION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FOUND_AT_FIELD_NUMBER: _ClassVar[int]
    CURRENT_REVISION_ID_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_REASON_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_UNVERIFIED_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    EMPTY_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    holds: str
    cited_revision: str
    reason: str
    found_at: _common_pb2.Citation
    current_revision_id: str
    difference: str
    read_context: _common_pb2.ReadContext
    partial: bool
    limit_reason: str
    next_cursor: _common_pb2.Cursor
    usage: _common_pb2.Usage
    withheld_unverified: int
    session_id: str
    notes: _containers.RepeatedScalarFieldContainer[str]
    empty_reason: str
    empty_message: str
    incomplete: _common_pb2.Incomplete
    def __init__(self, holds: _Optional[str] = ..., cited_revision: _Optional[str] = ..., reason: _Optional[str] = ..., found_at: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., current_revision_id: _Optional[str] = ..., difference: _Optional[str] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class AnswerBudget(_message.Message):
    __slots__ = ("max_answer_tokens",)
    MAX_ANSWER_TOKENS_FIELD_NUMBER: _ClassVar[int]
    max_answer_tokens: int
    def __init__(self, max_answer_tokens: _Optional[int] = ...) -> None: ...

class AnswerRequest(_message.Message):
    __slots__ = ("question", "also", "scope", "filters", "doc_types", "date_from", "date_to", "read_context", "limit", "budget", "synthesis")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    DOC_TYPES_FIELD_NUMBER: _ClassVar[int]
    DATE_FROM_FIELD_NUMBER: _ClassVar[int]
    DATE_TO_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    SYNTHESIS_FIELD_NUMBER: _ClassVar[int]
    question: str
    also: _common_pb2.Also
    scope: _common_pb2.Scope
    filters: _common_pb2.Filters
    doc_types: _containers.RepeatedScalarFieldContainer[str]
    date_from: str
    date_to: str
    read_context: _common_pb2.ReadContext
    limit: int
    budget: AnswerBudget
    synthesis: str
    def __init__(self, question: _Optional[str] = ..., also: _Optional[_Union[_common_pb2.Also, _Mapping]] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., filters: _Optional[_Union[_common_pb2.Filters, _Mapping]] = ..., doc_types: _Optional[_Iterable[str]] = ..., date_from: _Optional[str] = ..., date_to: _Optional[str] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., limit: _Optional[int] = ..., budget: _Optional[_Union[AnswerBudget, _Mapping]] = ..., synthesis: _Optional[str] = ...) -> None: ...

class AnswerSource(_message.Message):
    __slots__ = ("number", "id", "doc_type", "title", "category", "excerpt", "score", "url", "metadata", "citation", "when", "date")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    DOC_TYPE_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    EXCERPT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    WHEN_FIELD_NUMBER: _ClassVar[int]
    DATE_FIELD_NUMBER: _ClassVar[int]
    number: int
    id: str
    doc_type: str
    title: str
    category: str
    excerpt: str
    score: float
    url: str
    metadata: _containers.ScalarMap[str, str]
    citation: _common_pb2.Citation
    when: str
    date: str
    def __init__(self, number: _Optional[int] = ..., id: _Optional[str] = ..., doc_type: _Optional[str] = ..., title: _Optional[str] = ..., category: _Optional[str] = ..., excerpt: _Optional[str] = ..., score: _Optional[float] = ..., url: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., when: _Optional[str] = ..., date: _Optional[str] = ...) -> None: ...

class CitedDocument(_message.Message):
    __slots__ = ("number", "title")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    number: int
    title: str
    def __init__(self, number: _Optional[int] = ..., title: _Optional[str] = ...) -> None: ...

class Support(_message.Message):
    __slots__ = ("document", "start", "end", "score")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    document: int
    start: int
    end: int
    score: float
    def __init__(self, document: _Optional[int] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., score: _Optional[float] = ...) -> None: ...

class Sentence(_message.Message):
    __slots__ = ("start", "end", "standing", "citations", "support")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    SUPPORT_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    standing: str
    citations: _containers.RepeatedScalarFieldContainer[int]
    support: Support
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ..., standing: _Optional[str] = ..., citations: _Optional[_Iterable[int]] = ..., support: _Optional[_Union[Support, _Mapping]] = ...) -> None: ...

class AnswerDocuments(_message.Message):
    __slots__ = ("query", "sources", "confidence")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    query: str
    sources: _containers.RepeatedCompositeFieldContainer[AnswerSource]
    confidence: float
    def __init__(self, query: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[AnswerSource, _Mapping]]] = ..., confidence: _Optional[float] = ...) -> None: ...

class AnswerText(_message.Message):
    __slots__ = ("generated_answer", "search_method", "generated_by", "model_used", "stop_reason", "success", "answered")
    GENERATED_ANSWER_FIELD_NUMBER: _ClassVar[int]
    SEARCH_METHOD_FIELD_NUMBER: _ClassVar[int]
    GENERATED_BY_FIELD_NUMBER: _ClassVar[int]
    MODEL_USED_FIELD_NUMBER: _ClassVar[int]
    STOP_REASON_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_FIELD_NUMBER: _ClassVar[int]
    generated_answer: str
    search_method: str
    generated_by: str
    model_used: str
    stop_reason: str
    success: bool
    answered: bool
    def __init__(self, generated_answer: _Optional[str] = ..., search_method: _Optional[str] = ..., generated_by: _Optional[str] = ..., model_used: _Optional[str] = ..., stop_reason: _Optional[str] = ..., success: _Optional[bool] = ..., answered: _Optional[bool] = ...) -> None: ...

class AnswerCheck(_message.Message):
    __slots__ = ("citations", "sentences", "uncited_sentences", "unsupported_claims", "removed_citations", "total_found", "total_is", "not_available", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    class NotAvailableEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    SENTENCES_FIELD_NUMBER: _ClassVar[int]
    UNCITED_SENTENCES_FIELD_NUMBER: _ClassVar[int]
    UNSUPPORTED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_CITATIONS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FOUND_FIELD_NUMBER: _ClassVar[int]
    TOTAL_IS_FIELD_NUMBER: _ClassVar[int]
    NOT_AVAILABLE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_REASON_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_UNVERIFIED_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    EMPTY_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    citations: _containers.RepeatedCompositeFieldContainer[CitedDocument]
    sentences: _containers.RepeatedCompositeFieldContainer[Sentence]
    uncited_sentences: _containers.RepeatedScalarFieldContainer[str]
    unsupported_claims: _containers.RepeatedScalarFieldContainer[str]
    removed_citations: int
    total_found: int
    total_is: str
    not_available: _containers.ScalarMap[str, str]
    read_context: _common_pb2.ReadContext
    partial: bool
    limit_reason: str
    next_cursor: _common_pb2.Cursor
    usage: _common_pb2.Usage
    withheld_unverified: int
    session_id: str
    notes: _containers.RepeatedScalarFieldContainer[str]
    empty_reason: str
    empty_message: str
    incomplete: _common_pb2.Incomplete
    def __init__(self, citations: _Optional[_Iterable[_Union[CitedDocument, _Mapping]]] = ..., sentences: _Optional[_Iterable[_Union[Sentence, _Mapping]]] = ..., uncited_sentences: _Optional[_Iterable[str]] = ..., unsupported_claims: _Optional[_Iterable[str]] = ..., removed_citations: _Optional[int] = ..., total_found: _Optional[int] = ..., total_is: _Optional[str] = ..., not_available: _Optional[_Mapping[str, str]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class AnswerResponse(_message.Message):
    __slots__ = ("documents", "text", "check")
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    documents: AnswerDocuments
    text: AnswerText
    check: AnswerCheck
    def __init__(self, documents: _Optional[_Union[AnswerDocuments, _Mapping]] = ..., text: _Optional[_Union[AnswerText, _Mapping]] = ..., check: _Optional[_Union[AnswerCheck, _Mapping]] = ...) -> None: ...
