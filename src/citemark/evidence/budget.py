"""Keeping a result inside its caps, and saying honestly what that left out."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from citemark.evidence.tokens import bytes_len, tokens_of_bytes
from citemark.model.errors import BudgetExceeded

RESULT_BYTES = 48 * 1024
"""The most one tool result may weigh, text and structured content together."""

LimitReason = Literal["page_size", "token_cap", "byte_cap", "none"]

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class QuoteLimits:
    """How much evidence to cut."""

    max_quotes: int = 6
    max_quote_tokens: int = 80
    include_context_tokens: int = 20


@dataclass(frozen=True, slots=True)
class EvidenceLimits:
    """How much evidence a search brings: bytes of quoted text, and what else a caller sets; None sets nothing."""

    max_bytes: int = 2_000
    max_quotes: int | None = None
    max_quote_tokens: int | None = None
    include_context_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a result really weighs."""

    tokens_estimate: int
    bytes_returned: int

    @classmethod
    def of_bytes(cls, size: int) -> "Usage":
        """The usage of so many bytes."""
        return cls(tokens_estimate=tokens_of_bytes(size), bytes_returned=size)


class Budget:
    """An account that items are charged against, one by one, until a cap is met.

    The first refusal closes it: what came later in the order is not shown before what was refused.
    `reserved` bytes are set aside for the response metadata around the items.
    """

    def __init__(
        self,
        *,
        max_items: int | None = None,
        max_tokens: int | None = None,
        max_bytes: int = RESULT_BYTES,
        reserved: int = 0,
    ) -> None:
        self._max_items = max_items
        self._max_tokens = max_tokens
        self._max_bytes = max_bytes
        self._reserved = reserved
        self._bytes = reserved
        self._items = 0
        self._reason: LimitReason = "none"

    @property
    def items(self) -> int:
        """How many items were taken."""
        return self._items

    @property
    def limit_reason(self) -> LimitReason:
        """Why the account is closed, "none" while it is open."""
        return self._reason

    @property
    def partial(self) -> bool:
        """True when something was left out."""
        return self._reason != "none"

    @property
    def usage(self) -> Usage:
        """What was charged, the reserve included."""
        return Usage.of_bytes(self._bytes)

    @property
    def left(self) -> int:
        """Bytes that one more item may have."""
        room = self._max_bytes - self._bytes
        if self._max_tokens is not None:
            room = min(room, self._max_tokens * 4 - self._bytes)
        return max(0, room)

    def charge(self, size: int) -> bool:
        """Take an item of `size` bytes, or refuse it and close the account."""
        if self._reason == "none":
            self._reason = self._refusal(size)
        if self._reason != "none":
            return False
        self._bytes += size
        self._items += 1
        return True

    def fill(self, items: Iterable[Item], size: Callable[[Item], int]) -> list[Item]:
        """The first items that fit, in their order.

        Raises:
            BudgetExceeded: there are items, and not even the first fits.
        """
        taken: list[Item] = []
        for item in items:
            cost = size(item)
            if not self.charge(cost):
                self.require_one(cost)
                break
            taken.append(item)
        return taken

    def require_one(self, needed: int) -> None:
        """Complain when a byte or token cap was met before any item was taken.

        Raises:
            BudgetExceeded: with the bytes that one item needs and those that there are.
        """
        if not self._items and self._reason in {"token_cap", "byte_cap"}:
            raise BudgetExceeded(
                f"one item needs {needed} bytes and the budget leaves {self.left}; "
                "raise the token limit or ask for smaller snippets.",
                needed_bytes=needed,
                left_bytes=self.left,
                limit_reason=self._reason,
            )

    def _refusal(self, size: int) -> LimitReason:
        if self._max_items is not None and self._items >= self._max_items:
            return "page_size"
        if self._max_tokens is not None and tokens_of_bytes(self._bytes + size) > self._max_tokens:
            return "token_cap"
        return "byte_cap" if self._bytes + size > self._max_bytes else "none"


def json_bytes(value: Any) -> int:
    """Bytes of `value` as the minified JSON that goes over the wire."""
    return bytes_len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def settled_usage(text: str, build: Callable[[Usage], Any]) -> Usage:
    """The usage of a result that states its own usage: text plus the JSON that `build` makes of the figures."""
    usage = Usage.of_bytes(0)
    while True:
        measured = Usage.of_bytes(bytes_len(text) + json_bytes(build(usage)))
        if measured.bytes_returned <= usage.bytes_returned:
            return usage
        usage = measured
