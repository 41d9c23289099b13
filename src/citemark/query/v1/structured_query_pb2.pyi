from citemark.query.v1 import common_pb2 as _common_pb2
from citemark.query.v1 import model_pb2 as _model_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListElementsRequest(_message.Message):
    __slots__ = ("model", "scope", "read_context", "filters", "cursor", "page_size")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    model: str
    scope: _common_pb2.Scope
    read_context: _common_pb2.ReadContext
    filters: _model_pb2.ElementFilters
    cursor: _common_pb2.Cursor
    page_size: int
    def __init__(self, model: _Optional[str] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., filters: _Optional[_Union[_model_pb2.ElementFilters, _Mapping]] = ..., cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., page_size: _Optional[int] = ...) -> None: ...

class Element(_message.Message):
    __slots__ = ("element_id", "element_name", "element_type", "layer", "citation", "capabilities", "specialization", "folder")
    ELEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_NAME_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    SPECIALIZATION_FIELD_NUMBER: _ClassVar[int]
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    element_id: str
    element_name: str
    element_type: str
    layer: str
    citation: _common_pb2.Citation
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    specialization: str
    folder: str
    def __init__(self, element_id: _Optional[str] = ..., element_name: _Optional[str] = ..., element_type: _Optional[str] = ..., layer: _Optional[str] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., capabilities: _Optional[_Iterable[str]] = ..., specialization: _Optional[str] = ..., folder: _Optional[str] = ...) -> None: ...

class ListElementsResponse(_message.Message):
    __slots__ = ("elements", "total", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
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
    elements: _containers.RepeatedCompositeFieldContainer[Element]
    total: int
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
    def __init__(self, elements: _Optional[_Iterable[_Union[Element, _Mapping]]] = ..., total: _Optional[int] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class GetElementRequest(_message.Message):
    __slots__ = ("model", "scope", "read_context", "element", "include_relationships")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_RELATIONSHIPS_FIELD_NUMBER: _ClassVar[int]
    model: str
    scope: _common_pb2.Scope
    read_context: _common_pb2.ReadContext
    element: str
    include_relationships: bool
    def __init__(self, model: _Optional[str] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., element: _Optional[str] = ..., include_relationships: _Optional[bool] = ...) -> None: ...

class RelationshipEnd(_message.Message):
    __slots__ = ("element_id", "element_name", "element_type")
    ELEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_NAME_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    element_id: str
    element_name: str
    element_type: str
    def __init__(self, element_id: _Optional[str] = ..., element_name: _Optional[str] = ..., element_type: _Optional[str] = ...) -> None: ...

class Relationship(_message.Message):
    __slots__ = ("relationship_id", "type", "source", "target", "citation", "name", "properties", "shortened")
    class PropertiesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RELATIONSHIP_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    SHORTENED_FIELD_NUMBER: _ClassVar[int]
    relationship_id: str
    type: str
    source: RelationshipEnd
    target: RelationshipEnd
    citation: _common_pb2.Citation
    name: str
    properties: _containers.ScalarMap[str, str]
    shortened: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, relationship_id: _Optional[str] = ..., type: _Optional[str] = ..., source: _Optional[_Union[RelationshipEnd, _Mapping]] = ..., target: _Optional[_Union[RelationshipEnd, _Mapping]] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., name: _Optional[str] = ..., properties: _Optional[_Mapping[str, str]] = ..., shortened: _Optional[_Iterable[str]] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("view_id", "view_name", "citation")
    VIEW_ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_NAME_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    view_id: str
    view_name: str
    citation: _common_pb2.Citation
    def __init__(self, view_id: _Optional[str] = ..., view_name: _Optional[str] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ...) -> None: ...

class GetElementResponse(_message.Message):
    __slots__ = ("element", "text", "relationships", "views", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RELATIONSHIPS_FIELD_NUMBER: _ClassVar[int]
    VIEWS_FIELD_NUMBER: _ClassVar[int]
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
    element: Element
    text: str
    relationships: _containers.RepeatedCompositeFieldContainer[Relationship]
    views: _containers.RepeatedCompositeFieldContainer[View]
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
    def __init__(self, element: _Optional[_Union[Element, _Mapping]] = ..., text: _Optional[str] = ..., relationships: _Optional[_Iterable[_Union[Relationship, _Mapping]]] = ..., views: _Optional[_Iterable[_Union[View, _Mapping]]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class ListRelationshipsRequest(_message.Message):
    __slots__ = ("model", "scope", "read_context", "element", "direction", "type", "cursor", "page_size")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    model: str
    scope: _common_pb2.Scope
    read_context: _common_pb2.ReadContext
    element: str
    direction: str
    type: _containers.RepeatedScalarFieldContainer[str]
    cursor: _common_pb2.Cursor
    page_size: int
    def __init__(self, model: _Optional[str] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., element: _Optional[str] = ..., direction: _Optional[str] = ..., type: _Optional[_Iterable[str]] = ..., cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., page_size: _Optional[int] = ...) -> None: ...

class ListRelationshipsResponse(_message.Message):
    __slots__ = ("relationships", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    RELATIONSHIPS_FIELD_NUMBER: _ClassVar[int]
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
    relationships: _containers.RepeatedCompositeFieldContainer[Relationship]
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
    def __init__(self, relationships: _Optional[_Iterable[_Union[Relationship, _Mapping]]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class SearchElementsRequest(_message.Message):
    __slots__ = ("model", "scope", "read_context", "query", "also", "filters", "cursor", "page_size")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    model: str
    scope: _common_pb2.Scope
    read_context: _common_pb2.ReadContext
    query: str
    also: _common_pb2.Also
    filters: _model_pb2.ElementFilters
    cursor: _common_pb2.Cursor
    page_size: int
    def __init__(self, model: _Optional[str] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., query: _Optional[str] = ..., also: _Optional[_Union[_common_pb2.Also, _Mapping]] = ..., filters: _Optional[_Union[_model_pb2.ElementFilters, _Mapping]] = ..., cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., page_size: _Optional[int] = ...) -> None: ...

class FoundElement(_message.Message):
    __slots__ = ("element_id", "element_name", "element_type", "layer", "citation", "capabilities", "specialization", "folder", "matched", "preview")
    ELEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_NAME_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    SPECIALIZATION_FIELD_NUMBER: _ClassVar[int]
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    element_id: str
    element_name: str
    element_type: str
    layer: str
    citation: _common_pb2.Citation
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    specialization: str
    folder: str
    matched: str
    preview: str
    def __init__(self, element_id: _Optional[str] = ..., element_name: _Optional[str] = ..., element_type: _Optional[str] = ..., layer: _Optional[str] = ..., citation: _Optional[_Union[_common_pb2.Citation, _Mapping]] = ..., capabilities: _Optional[_Iterable[str]] = ..., specialization: _Optional[str] = ..., folder: _Optional[str] = ..., matched: _Optional[str] = ..., preview: _Optional[str] = ...) -> None: ...

class SearchElementsResponse(_message.Message):
    __slots__ = ("results", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
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
    results: _containers.RepeatedCompositeFieldContainer[FoundElement]
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
    def __init__(self, results: _Optional[_Iterable[_Union[FoundElement, _Mapping]]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class GetViewRequest(_message.Message):
    __slots__ = ("model", "scope", "read_context", "view", "cursor", "page_size")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    READ_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    model: str
    scope: _common_pb2.Scope
    read_context: _common_pb2.ReadContext
    view: str
    cursor: _common_pb2.Cursor
    page_size: int
    def __init__(self, model: _Optional[str] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., view: _Optional[str] = ..., cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., page_size: _Optional[int] = ...) -> None: ...

class GetViewResponse(_message.Message):
    __slots__ = ("views", "text", "elements", "relationships", "total", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    VIEWS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    RELATIONSHIPS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
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
    views: _containers.RepeatedCompositeFieldContainer[View]
    text: str
    elements: _containers.RepeatedCompositeFieldContainer[Element]
    relationships: _containers.RepeatedCompositeFieldContainer[Relationship]
    total: int
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
    def __init__(self, views: _Optional[_Iterable[_Union[View, _Mapping]]] = ..., text: _Optional[str] = ..., elements: _Optional[_Iterable[_Union[Element, _Mapping]]] = ..., relationships: _Optional[_Iterable[_Union[Relationship, _Mapping]]] = ..., total: _Optional[int] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class ListBaselinesRequest(_message.Message):
    __slots__ = ("cursor",)
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    cursor: _common_pb2.Cursor
    def __init__(self, cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ...) -> None: ...

class Baseline(_message.Message):
    __slots__ = ("baseline_id", "as_of", "made_at", "models")
    BASELINE_ID_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    MADE_AT_FIELD_NUMBER: _ClassVar[int]
    MODELS_FIELD_NUMBER: _ClassVar[int]
    baseline_id: str
    as_of: str
    made_at: str
    models: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, baseline_id: _Optional[str] = ..., as_of: _Optional[str] = ..., made_at: _Optional[str] = ..., models: _Optional[_Iterable[str]] = ...) -> None: ...

class ListBaselinesResponse(_message.Message):
    __slots__ = ("baselines", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    BASELINES_FIELD_NUMBER: _ClassVar[int]
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
    baselines: _containers.RepeatedCompositeFieldContainer[Baseline]
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
    def __init__(self, baselines: _Optional[_Iterable[_Union[Baseline, _Mapping]]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...

class DiffBaselinesRequest(_message.Message):
    __slots__ = ("to", "scope", "cursor", "page_size", "model")
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    to: str
    scope: _common_pb2.Scope
    cursor: _common_pb2.Cursor
    page_size: int
    model: str
    def __init__(self, to: _Optional[str] = ..., scope: _Optional[_Union[_common_pb2.Scope, _Mapping]] = ..., cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., page_size: _Optional[int] = ..., model: _Optional[str] = ..., **kwargs) -> None: ...

class ChangedText(_message.Message):
    __slots__ = ("text", "lines", "span", "cut")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    text: str
    lines: _common_pb2.Span
    span: _common_pb2.Span
    cut: bool
    def __init__(self, text: _Optional[str] = ..., lines: _Optional[_Union[_common_pb2.Span, _Mapping]] = ..., span: _Optional[_Union[_common_pb2.Span, _Mapping]] = ..., cut: _Optional[bool] = ...) -> None: ...

class ChangedPlace(_message.Message):
    __slots__ = ("before", "after")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    before: ChangedText
    after: ChangedText
    def __init__(self, before: _Optional[_Union[ChangedText, _Mapping]] = ..., after: _Optional[_Union[ChangedText, _Mapping]] = ...) -> None: ...

class ElementChange(_message.Message):
    __slots__ = ("change", "before", "after", "places", "more_places")
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    MORE_PLACES_FIELD_NUMBER: _ClassVar[int]
    change: str
    before: Element
    after: Element
    places: _containers.RepeatedCompositeFieldContainer[ChangedPlace]
    more_places: int
    def __init__(self, change: _Optional[str] = ..., before: _Optional[_Union[Element, _Mapping]] = ..., after: _Optional[_Union[Element, _Mapping]] = ..., places: _Optional[_Iterable[_Union[ChangedPlace, _Mapping]]] = ..., more_places: _Optional[int] = ...) -> None: ...

class RelationshipChange(_message.Message):
    __slots__ = ("change", "before", "after")
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    change: str
    before: Relationship
    after: Relationship
    def __init__(self, change: _Optional[str] = ..., before: _Optional[_Union[Relationship, _Mapping]] = ..., after: _Optional[_Union[Relationship, _Mapping]] = ...) -> None: ...

class ChangeCounts(_message.Message):
    __slots__ = ("added", "removed", "changed", "renamed")
    ADDED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    RENAMED_FIELD_NUMBER: _ClassVar[int]
    added: int
    removed: int
    changed: int
    renamed: int
    def __init__(self, added: _Optional[int] = ..., removed: _Optional[int] = ..., changed: _Optional[int] = ..., renamed: _Optional[int] = ...) -> None: ...

class DiffBaselinesResponse(_message.Message):
    __slots__ = ("before", "after", "elements", "relationships", "element_counts", "relationship_counts", "read_context", "partial", "limit_reason", "next_cursor", "usage", "withheld_unverified", "session_id", "notes", "empty_reason", "empty_message", "incomplete")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    RELATIONSHIPS_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_COUNTS_FIELD_NUMBER: _ClassVar[int]
    RELATIONSHIP_COUNTS_FIELD_NUMBER: _ClassVar[int]
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
    before: _common_pb2.ReadContext
    after: _common_pb2.ReadContext
    elements: _containers.RepeatedCompositeFieldContainer[ElementChange]
    relationships: _containers.RepeatedCompositeFieldContainer[RelationshipChange]
    element_counts: ChangeCounts
    relationship_counts: ChangeCounts
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
    def __init__(self, before: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., after: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., elements: _Optional[_Iterable[_Union[ElementChange, _Mapping]]] = ..., relationships: _Optional[_Iterable[_Union[RelationshipChange, _Mapping]]] = ..., element_counts: _Optional[_Union[ChangeCounts, _Mapping]] = ..., relationship_counts: _Optional[_Union[ChangeCounts, _Mapping]] = ..., read_context: _Optional[_Union[_common_pb2.ReadContext, _Mapping]] = ..., partial: _Optional[bool] = ..., limit_reason: _Optional[str] = ..., next_cursor: _Optional[_Union[_common_pb2.Cursor, _Mapping]] = ..., usage: _Optional[_Union[_common_pb2.Usage, _Mapping]] = ..., withheld_unverified: _Optional[int] = ..., session_id: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ..., empty_reason: _Optional[str] = ..., empty_message: _Optional[str] = ..., incomplete: _Optional[_Union[_common_pb2.Incomplete, _Mapping]] = ...) -> None: ...
