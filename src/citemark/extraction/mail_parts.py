"""The parts of a message as malformed messages have them: wrong boundaries, damaged encodings, packed messages."""

import base64
import re
from email.errors import MessageError
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from typing import cast

_BOUNDARY = re.compile(rb"^--(?P<boundary>[^\r\n]{1,200}?)[ \t]*\r?\n(?=[\w-]+:)", re.MULTILINE)
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_PACKED = frozenset({"base64", "quoted-printable"})


def nested(message: "Message[str, str]") -> list["Message[str, str]"]:
    """The parts directly below a message; none if a malformed message only claims to have some."""
    found: object = message.get_payload()
    return cast("list[Message[str, str]]", found) if isinstance(found, list) else []


def payload_of(part: "Message[str, str]") -> bytes:
    """The bytes of a part; of base64 that is damaged, those that can be decoded."""
    found = part.get_payload(decode=True)
    data = found if isinstance(found, bytes) else b""
    return _what_is_left(data) if is_damaged(part) else data


def is_damaged(part: "Message[str, str]") -> bool:
    """Whether a part is said to be base64 and cannot be decoded; the library returns it as it is then."""
    if part.is_multipart() or _encoding(part) != "base64":
        return False
    written: object = part.get_payload()
    decoded: object = part.get_payload(decode=True)
    if not isinstance(written, str) or not isinstance(decoded, bytes):
        return False
    signs = written.encode("ascii", "surrogateescape").split()
    return bool(signs) and b"".join(decoded.split()) == b"".join(signs)


def mend_parts(part: "Message[str, str]") -> None:
    """Find the parts of a part that names a wrong boundary, or none; without any, it is plain text."""
    if part.get_content_maintype() != "multipart" or part.is_multipart() or part.get_content_subtype() == "encrypted":
        return
    data = payload_of(part)
    boundary = _BOUNDARY.search(data)
    if boundary is None:
        part.set_type("text/plain")
        return
    head = b'Content-Type: multipart/mixed; boundary="%s"\n\n' % boundary["boundary"].replace(b'"', b"")
    part.set_payload([*nested(_parsed(head + data))])


def messages_in(part: "Message[str, str]") -> list["Message[str, str]"]:
    """The messages in a part of the type of messages, which some programs pack although they may not."""
    found = nested(part)
    if _encoding(part) not in _PACKED or len(found) != 1 or found[0].keys():
        return found
    packed = found[0]
    packed["Content-Transfer-Encoding"] = _encoding(part)
    return [_parsed(payload_of(packed))]


def _parsed(data: bytes) -> "Message[str, str]":
    try:
        return BytesParser(policy=compat32).parsebytes(data)
    except (MessageError, ValueError, LookupError, AttributeError, TypeError):
        return Message(policy=compat32)


def _encoding(part: "Message[str, str]") -> str:
    return str(part.get("Content-Transfer-Encoding", "")).strip().lower()


def _what_is_left(data: bytes) -> bytes:
    """What can be decoded of base64 with foreign characters in it, or without its end."""
    signs = _NO_BASE64.sub(b"", data)
    whole = len(signs) - (len(signs) % 4 == 1)
    return base64.b64decode(signs[:whole] + b"=" * (-whole % 4))
