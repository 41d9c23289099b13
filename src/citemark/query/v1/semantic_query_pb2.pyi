from citemark.query.v1 import common_pb2 as _common_pb2
from citemark.query.v1 import model_pb2 as _model_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SemanticQueryServiceSearchRequest(_message.Message):
    __slots__ = ("model", "scope", "read_context", "query", "also", "top_k", "min_score", "filters", "cursor", "page_size")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    model: str
    scope: _common_pb2.Scope
    read_context: _common_pb2.ReadContext
    query: str
    also: _common_pb2.Also
    top_k: int
    min_score: float
    filters: _model_pb2.ElementFilters
    cursor: _common_pb2.Cursor
    page_size: int
    def __init__(self, model: _Optional[str] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., query: _Optional[str] = ..., also: _Optional[_Union[_common_pb2.Also, _Mapping]] = ..., top_k: _Optional[int] = ..., min_score: _Optional[float] = ..., filters: _Optional[_Union[_model_pb2.ElementFilters, _Mapping]] = ..., cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., page_size: _Optional[int] = ...) -> None: ...

class ElementHit(_message.Message):
    __slots__ = ("element_id", "element_name", "element_type", "layer", "citation", "capabilities", "specialization", "folder", "revision_id", "baseline_id", "as_of", "score", "context", "scratch_uri", "also_in")
    ELEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_NAME_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    SPECIALIZATION_FIELD_NUMBER: _ClassVar[int]
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    REVISION_ID_FIELD_NUMBER: _ClassVar[int]
    BASELINE_ID_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    SCRATCH_URI_FIELD_NUMBER: _ClassVar[int]
    ALSO_IN_FIELD_NUMBER: _ClassVar[int]
    element_id: str
    element_name: str
    element_type: str
    layer: str
    citation: _common_pb2.Citation
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    specialization: str
    folder: str
    revision_id: str
    baseline_id: str
    as_of: str
    score: float
    context: str
    scratch_uri: str
    also_in: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, element_id: _Optional[str] = ..., element_name: _Optional[str] = ..., element_type: _Optional[str] = ..., layer: _Optional[str] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., capabilities: _Optional[_Iterable[str]] = ..., specialization: _Optional[str] = ..., folder: _Optional[str] = ..., revision_id: _Optional[str] = ..., baseline_id: _Optional[str] = ..., as_of: _Optional[str] = ..., score: _Optional[float] = ..., context: _Optional[str] = ..., scratch_uri: _Optional[str] = ..., also_in: _Optional[_Iterable[str]] = ...) -> None: ...

class SemanticQueryServiceSearchResponse(_message.Message):
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
    results: _containers.RepeatedCompositeFieldContainer[ElementHit]
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
    def __init__(self, results: _Optional[_Iterable[_Union[ElementHit, _Mapping]]] = ..., confidence: _Optional[float] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class ContextBudget(_message.Message):
    __slots__ = ("max_tokens",)
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    max_tokens: int
    def __init__(self, max_tokens: _Optional[int] = ...) -> None: ...

class GetContextRequest(_message.Message):
    __slots__ = ("model", "scope", "read_context", "query", "also", "budget", "include_relationships", "filters")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_RELATIONSHIPS_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    model: str
    scope: _common_pb2.Scope
    read_context: _common_pb2.ReadContext
    query: str
    also: _common_pb2.Also
    budget: ContextBudget
    include_relationships: bool
    filters: _model_pb2.ElementFilters
    def __init__(self, model: _Optional[str] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., query: _Optional[str] = ..., also: _Optional[_Union[_common_pb2.Also, _Mapping]] = ..., budget: _Optional[_Union[ContextBudget, _Mapping]] = ..., include_relationships: _Optional[bool] = ..., filters: _Optional[_Union[_model_pb2.ElementFilters, _Mapping]] = ...) -> None: ...

class ContextSource(_message.Message):
    __slots__ = ("element_id", "element_name", "element_type", "relevance", "citation")
    ELEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_NAME_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    element_id: str
    element_name: str
    element_type: str
    relevance: float
    citation: _common_pb2.Citation
    def __init__(self, element_id: _Optional[str] = ..., element_name: _Optional[str] = ..., element_type: _Optional[str] = ..., relevance: _Optional[float] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ...) -> None: ...

class GetContextResponse(_message.Message):
    __slots__ = ("context", "context_tokens", "sources", "left_out", "left_out_is", "confidence", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_IS_FIELD_NUMBER: _ClassVar[int]
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
    context: str
    context_tokens: int
    sources: _containers.RepeatedCompositeFieldContainer[ContextSource]
    left_out: int
    left_out_is: str
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
    def __init__(self, context: _Optional[str] = ..., context_tokens: _Optional[int] = ..., sources: _Optional[_Iterable[_Union[ContextSource, _Mapping]]] = ..., left_out: _Optional[int] = ..., left_out_is: _Optional[str] = ..., confidence: _Optional[float] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...
