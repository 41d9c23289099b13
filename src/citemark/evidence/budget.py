"""Measures text (a token is four UTF-8 bytes everywhere, rounded up), and names the caps of results."""

import json
import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

BYTES_PER_TOKEN = 4
"""UTF-8 bytes: what the tokenizers of current models average for English prose; for code they count more tokens."""

USUAL_BYTES = 1_200
"""Quoted bytes where one document answers; more of them held few answers (tests/bench: yardsticks)."""

MOST_BYTES = 2_400
"""Quoted bytes where several documents or sides are about equally relevant."""

_ENCODING = "utf-8"
_ERRORS = "surrogatepass"
_JOINER = "\u200d"
_LONGEST_CLUSTER = 32
"""Code points: the longest emoji sequences have ten; longer runs of joiners are an attack on the cutting of text."""

_SKIN_TONES = range(0x1F3FB, 0x1F400)
_REGIONAL = range(0x1F1E6, 0x1F200)
_ASCII_END = "\x80"


def bytes_len(text: str) -> int:
    """The number of UTF-8 bytes of `text`; a lone surrogate counts as three, the length of its encoding."""
    return len(text) if text.isascii() else len(text.encode(_ENCODING, _ERRORS))


def tokens_of_bytes(size: int) -> int:
    """The number of tokens that `size` bytes amount to."""
    return -(-size // BYTES_PER_TOKEN)


def count_tokens(text: str) -> int:
    """The number of tokens of `text`."""
    return tokens_of_bytes(bytes_len(text))


def prefix_chars(text: str, max_bytes: int) -> int:
    """How many characters from the start fit in `max_bytes`; reads no more of `text` than that."""
    head = text[: max(0, max_bytes)]
    if bytes_len(head) <= max_bytes:
        return len(head)
    data = head.encode(_ENCODING, _ERRORS)
    cut = max_bytes
    while cut and data[cut] & 0xC0 == 0x80:  # noqa: PLR2004 - a UTF-8 continuation byte is 10xxxxxx
        cut -= 1
    return len(data[:cut].decode(_ENCODING, _ERRORS))


def suffix_chars(text: str, max_bytes: int) -> int:
    """How many characters at the end fit in `max_bytes`; reads no more of `text` than that."""
    tail = text[max(0, len(text) - max(0, max_bytes)) :] if max_bytes > 0 else ""
    if bytes_len(tail) <= max_bytes:
        return len(tail)
    data = tail.encode(_ENCODING, _ERRORS)
    cut = len(data) - max_bytes
    while cut < len(data) and data[cut] & 0xC0 == 0x80:  # noqa: PLR2004 - a UTF-8 continuation byte is 10xxxxxx
        cut += 1
    return len(data[cut:].decode(_ENCODING, _ERRORS))


def joins_previous(text: str, index: int) -> bool:
    """True when the code point at `index` belongs to the same visible character as the one before it.

    Covers combining marks, variation selectors, joined emoji, skin tones, flags, CR LF and split surrogate pairs;
    it is a cheap part of Unicode's grapheme rules, not all of them.
    """
    if not 0 < index < len(text):
        return False
    here, before = text[index], text[index - 1]
    if here < _ASCII_END:
        return here == "\n" and before == "\r"
    if _JOINER in (before, here) or unicodedata.category(here) in {"Mn", "Me", "Mc"}:
        return True
    if ord(here) in _SKIN_TONES or ("\ud800" <= before <= "\udbff" and "\udc00" <= here <= "\udfff"):
        return True
    return ord(here) in _REGIONAL and _flags_before(text, index) % 2 == 1


def whole_sign_before(text: str, index: int, floor: int = 0) -> int:
    """The nearest cut at or before `index` that splits no visible character; `index` if one is absurdly long."""
    cut = index
    while cut > floor and index - cut < _LONGEST_CLUSTER and joins_previous(text, cut):
        cut -= 1
    return index if cut <= floor or joins_previous(text, cut) else cut


def _flags_before(text: str, index: int) -> int:
    count = 0
    while count < index and count < _LONGEST_CLUSTER and ord(text[index - 1 - count]) in _REGIONAL:
        count += 1
    return count


RESULT_BYTES = 48 * 1024
"""The most bytes that one tool result may have, text and structured content together."""

LimitReason = Literal["page_size", "token_cap", "byte_cap", "none"]


@dataclass(frozen=True, slots=True)
class QuoteLimits:
    """How much evidence to cut: by default enough to answer in a few sentences, with a sentence around each."""

    max_quotes: int = 6
    max_quote_tokens: int = 80
    include_context_tokens: int = 20


@dataclass(frozen=True, slots=True)
class EvidenceLimits:
    """How much evidence a search returns: limits that a caller may set; None sets none.

    Without `max_bytes` (of quoted text), quotes end where it is said: where relevance drops. With it they fill that
    many bytes, unless `fills` is false: then it only is the most. `whole_lists`: the list or table that answers is
    quoted as far as there is room.
    """

    max_bytes: int | None = None
    max_quotes: int | None = None
    max_quote_tokens: int | None = None
    include_context_tokens: int | None = None
    fills: bool = True
    whole_lists: bool = False

    @property
    def filled(self) -> int | None:
        """The bytes that quotes fill whatever they say, or None if they end where it is said."""
        return self.max_bytes if self.fills else None


@dataclass(frozen=True, slots=True)
class Usage:
    """The actual size of a result."""

    tokens_estimate: int
    bytes_returned: int

    @classmethod
    def of_bytes(cls, size: int) -> "Usage":
        """The usage of `size` bytes."""
        return cls(tokens_estimate=tokens_of_bytes(size), bytes_returned=size)


def json_bytes(value: Any) -> int:
    """The number of bytes of `value` as the minified JSON that goes over the wire."""
    return bytes_len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
