"""Between messages and what the tools take and give: the names of the fields are the same on both sides.

Two things are messages of their own that are none for the tools: a value with a type, such as a cursor, and the budget.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar, cast

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message

from citemark.evidence.budget import Usage
from citemark.model.errors import InvalidArgument
from citemark.query.v1.common_pb2 import Also, Cursor

M = TypeVar("M", bound=Message)

_USAGE = "usage"

BUDGET = "budget"
"""The field of a request whose own fields are arguments of the tool."""

VALUES: Mapping[str, str] = MappingProxyType(
    {Also.DESCRIPTOR.full_name: "phrasings", Cursor.DESCRIPTOR.full_name: "value"}
)
"""The one field of a message that stands for its value, by the name of the message."""


def arguments_of(kind: type[Message], raw: bytes) -> dict[str, Any]:
    """The arguments in a request as it was received; what the client did not set is not among them.

    Raises:
        InvalidArgument: these bytes are no such message.
    """
    try:
        request = kind.FromString(raw)
    except DecodeError:
        raise InvalidArgument(f"The request is not a {kind.DESCRIPTOR.full_name} message.") from None
    # Zeros that stand for themselves are not sent, such as the begin of a span.
    given = MessageToDict(request, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    for name, value in _values_in(kind):
        if name in given:
            given[name] = given[name][value]
    return given | given.pop(BUDGET, {})


def places_in(kind: type[Message]) -> Mapping[str, str]:
    """Where the argument of a tool is in its request, such as `budget.max_bytes`, if that is not its own name."""
    budget = kind.DESCRIPTOR.fields_by_name.get(BUDGET)
    arguments = () if budget is None or budget.message_type is None else budget.message_type.fields_by_name
    return {name: f"{BUDGET}.{name}" for name in arguments} | {
        name: f"{name}.{value}" for name, value in _values_in(kind)
    }


def request_after(kind: type[Message], raw: bytes, page: Message) -> bytes | None:
    """The request for the page after this one, or None after the last; `raw` is the request for this page."""
    if not page.HasField("next_cursor"):
        return None
    request: Any = kind.FromString(raw)
    request.cursor.CopyFrom(cast("Any", page).next_cursor)
    return request.SerializeToString()


def message_of(kind: type[M], content: Mapping[str, Any]) -> M:
    """A result as a message. What is None in it stays unset; its usage is what the message itself weighs.

    Raises:
        ValueError: the contract does not know a field of the result.
    """
    fields = dict(content)
    for name, value in _values_in(kind):
        if fields.get(name) is not None:
            fields[name] = {value: fields[name]}
    message = kind(**{**fields, _USAGE: None}) if _USAGE in content else kind(**fields)
    if _USAGE in content:
        _weigh(message)
    return message


def part_of(kind: type[M], content: Mapping[str, Any]) -> M:
    """A message of those fields of a result that it has."""
    return message_of(kind, {name: content[name] for name in kind.DESCRIPTOR.fields_by_name if name in content})


def _values_in(kind: type[Message]) -> list[tuple[str, str]]:
    """The fields of a message that hold a value with a type, and what the value is called in there."""
    typed = ((field.name, field.message_type) for field in kind.DESCRIPTOR.fields)
    return [(name, VALUES[of.full_name]) for name, of in typed if of is not None and of.full_name in VALUES]


def _weigh(message: Message) -> None:
    """Fill in the size of a message, the figures of the size included: they grow with it until they are right."""
    usage: Any = getattr(message, _USAGE)
    while (size := message.ByteSize()) != usage.bytes_returned:
        figures = Usage.of_bytes(size)
        usage.bytes_returned, usage.tokens_estimate = figures.bytes_returned, figures.tokens_estimate
