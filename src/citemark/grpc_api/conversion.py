"""Between messages and what the tools take and give: the names of the fields are the same on both sides."""

from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message

from citemark.evidence.budget import Usage
from citemark.model.errors import InvalidArgument

M = TypeVar("M", bound=Message)

_USAGE = "usage"


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
    return MessageToDict(request, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def message_of(kind: type[M], content: Mapping[str, Any]) -> M:
    """A result as a message. What is None in it stays unset; its usage is what the message itself weighs.

    Raises:
        ValueError: the contract does not know a field of the result.
    """
    message = kind(**{**content, _USAGE: None}) if _USAGE in content else kind(**content)
    if _USAGE in content:
        _weigh(message)
    return message


def part_of(kind: type[M], content: Mapping[str, Any]) -> M:
    """A message of those fields of a result that it has."""
    return message_of(kind, {name: content[name] for name in kind.DESCRIPTOR.fields_by_name if name in content})


def _weigh(message: Message) -> None:
    """Fill in the size of a message, the figures of the size included: they grow with it until they are right."""
    usage: Any = getattr(message, _USAGE)
    while (size := message.ByteSize()) != usage.bytes_returned:
        figures = Usage.of_bytes(size)
        usage.bytes_returned, usage.tokens_estimate = figures.bytes_returned, figures.tokens_estimate
