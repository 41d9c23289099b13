from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Scope(_message.Message):
    __slots__ = ("project_id", "environment", "doc_tags", "repositories")
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    DOC_TAGS_FIELD_NUMBER: _ClassVar[int]
    REPOSITORIES_FIELD_NUMBER: _ClassVar[int]
    project_id: str
    environment: str
    doc_tags: _containers.RepeatedScalarFieldContainer[str]
    repositories: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, project_id: _Optional[str] = ..., environment: _Optional[str] = ..., doc_tags: _Optional[_Iterable[str]] = ..., repositories: _Optional[_Iterable[str]] = ...) -> None: ...

class Also(_message.Message):
    __slots__ = ("phrasings",)
    PHRASINGS_FIELD_NUMBER: _ClassVar[int]
    phrasings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, phrasings: _Optional[_Iterable[str]] = ...) -> None: ...

class Cursor(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: str
    def __init__(self, value: _Optional[str] = ...) -> None: ...

class ReadContext(_message.Message):
    __slots__ = ("baseline_id", "as_of")
    BASELINE_ID_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    baseline_id: str
    as_of: str
    def __init__(self, baseline_id: _Optional[str] = ..., as_of: _Optional[str] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("tokens_estimate", "bytes_returned")
    TOKENS_ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    BYTES_RETURNED_FIELD_NUMBER: _ClassVar[int]
    tokens_estimate: int
    bytes_returned: int
    def __init__(self, tokens_estimate: _Optional[int] = ..., bytes_returned: _Optional[int] = ...) -> None: ...

class Incomplete(_message.Message):
    __slots__ = ("waiting", "changed", "withheld", "failed")
    WAITING_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    waiting: int
    changed: int
    withheld: int
    failed: int
    def __init__(self, waiting: _Optional[int] = ..., changed: _Optional[int] = ..., withheld: _Optional[int] = ..., failed: _Optional[int] = ...) -> None: ...

class Span(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class Anchor(_message.Message):
    __slots__ = ("heading", "lines", "chars")
    HEADING_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    CHARS_FIELD_NUMBER: _ClassVar[int]
    heading: str
    lines: Span
    chars: Span
    def __init__(self, heading: _Optional[str] = ..., lines: _Optional[_Union[Span, _Mapping]] = ..., chars: _Optional[_Union[Span, _Mapping]] = ...) -> None: ...

class Citation(_message.Message):
    __slots__ = ("source", "doc_type", "document_id", "revision_id", "baseline_id", "as_of", "anchor", "span", "title", "url", "dated", "section_id", "doc_tag", "uri")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DOC_TYPE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_ID_FIELD_NUMBER: _ClassVar[int]
    BASELINE_ID_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    DATED_FIELD_NUMBER: _ClassVar[int]
    SECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOC_TAG_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    source: str
    doc_type: str
    document_id: str
    revision_id: str
    baseline_id: str
    as_of: str
    anchor: Anchor
    span: Span
    title: str
    url: str
    dated: str
    section_id: str
    doc_tag: str
    uri: str
    def __init__(self, source: _Optional[str] = ..., doc_type: _Optional[str] = ..., document_id: _Optional[str] = ..., revision_id: _Optional[str] = ..., baseline_id: _Optional[str] = ..., as_of: _Optional[str] = ..., anchor: _Optional[_Union[Anchor, _Mapping]] = ..., span: _Optional[_Union[Span, _Mapping]] = ..., title: _Optional[str] = ..., url: _Optional[str] = ..., dated: _Optional[str] = ..., section_id: _Optional[str] = ..., doc_tag: _Optional[str] = ..., uri: _Optional[str] = ...) -> None: ...

class Filters(_message.Message):
    __slots__ = ("doc_tag", "path_prefix", "updated_after", "properties")
    DOC_TAG_FIELD_NUMBER: _ClassVar[int]
    PATH_PREFIX_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AFTER_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    doc_tag: _containers.RepeatedScalarFieldContainer[str]
    path_prefix: str
    updated_after: str
    properties: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, doc_tag: _Optional[_Iterable[str]] = ..., path_prefix: _Optional[str] = ..., updated_after: _Optional[str] = ..., properties: _Optional[_Iterable[str]] = ...) -> None: ...
