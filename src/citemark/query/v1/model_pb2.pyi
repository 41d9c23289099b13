from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class ElementFilters(_message.Message):
    __slots__ = ("layer", "element_type", "capability")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    CAPABILITY_FIELD_NUMBER: _ClassVar[int]
    layer: _containers.RepeatedScalarFieldContainer[str]
    element_type: _containers.RepeatedScalarFieldContainer[str]
    capability: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, layer: _Optional[_Iterable[str]] = ..., element_type: _Optional[_Iterable[str]] = ..., capability: _Optional[_Iterable[str]] = ...) -> None: ...
