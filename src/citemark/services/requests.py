"""Requests to the use cases."""

import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Literal

from citemark.model.ids import SessionId
from citemark.model.scope import Filters, Principal, ReadContext, RequestScope
from citemark.model.text import NOT_TEXT, Lines
from citemark.services.asked_states import HEAD
from citemark.services.empty import TOOL_ARGUMENTS, Arguments

MAX_QUESTION_CHARS = 8000
"""Far more than the 256 tokens that the bundled model reads, so that a pasted message is accepted."""

MAX_PHRASINGS = 4
"""Additional phrasings of one question; each costs a search, and three bring the gain that ADR 34 measured."""

MAX_PHRASING_CHARS = 300
"""Two or three sentences; longer texts are documents, not questions."""

Mode = Literal["auto", "vector_only", "hybrid_local"]


def wrong_with(question: str, max_chars: int = MAX_QUESTION_CHARS) -> str:
    """Why a text cannot be searched for, as the end of a sentence about it; "" if it can."""
    if not question.strip():
        return "must say something; it is empty or only white space"
    if len(question) > max_chars:
        return f"must have at most {max_chars} characters; it has {len(question)}"
    if NOT_TEXT.search(question):
        return "must be text without NUL characters and unpaired surrogates"
    return ""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call, and the namespace of their handles."""

    principal: Principal
    session_id: SessionId

    @classmethod
    def local(cls) -> "Caller":
        """The person at this machine in a fresh namespace that nobody can guess (144 random bits)."""
        return cls(Principal.local(), SessionId("s_" + secrets.token_urlsafe(18)))

    @classmethod
    def of(cls, principal: Principal) -> "Caller":
        """A principal in its own namespace, which is the same in every process that serves it.

        The name need not be secret: a handle is random, and bound to its principal.
        """
        digest = blake2b(principal.key.encode(), digest_size=18, person=b"citemark-session").digest()
        return cls(principal, SessionId("s_" + urlsafe_b64encode(digest).decode()))


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question with its scope and its budget.

    `top_k` is the total over all pages. `also` are further phrasings of the question, written by the caller.
    `arguments` are those of the tool that asks, for its advice.
    """

    query: str
    top_k: int = 5
    page_size: int = 5
    cursor: str | None = None
    scope: RequestScope = field(default_factory=RequestScope)
    filters: Filters = field(default_factory=Filters)
    read_context: ReadContext = field(default_factory=ReadContext)
    max_snippet_chars: int = 280
    max_per_doc: int = 2
    min_score: float = 0.5
    mode: Mode = "auto"
    also: tuple[str, ...] = ()
    arguments: Arguments = TOOL_ARGUMENTS


@dataclass(frozen=True, slots=True)
class CitationRef:
    """A citation that a client sends back for checking; fields that are None are not compared."""

    source: str
    document_id: str
    revision_id: str | None = None
    start_char: int | None = None
    end_char: int | None = None
    doc_type: str | None = None
    lines: Lines | None = None


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """Two states by name: a baseline, a moment in ISO 8601, or HEAD."""

    before: str
    after: str = HEAD
    scope: RequestScope = field(default_factory=RequestScope)
    path_prefixes: tuple[str, ...] = ()
    page_size: int = 25
    cursor: str | None = None

    @property
    def digest(self) -> str:
        """A digest that is equal for the same question, whatever the page size and the cursor."""
        question = repr(replace(self, cursor=None, page_size=0))
        return blake2b(question.encode(), digest_size=16, person=b"differences").hexdigest()
