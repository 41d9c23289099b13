"""A call of an agent that asked something in words, as far as it is kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A document that an answer cites, at the revision that it had then."""

    source: str
    document_id: str
    revision_id: int


@dataclass(frozen=True, slots=True)
class AgentCall:
    """What an agent asked, and what became of it.

    Attributes:
        principal: the key of the principal who called.
        tool: the tool's name with dots.
        question: in the agent's words.
        phrasings: the same in other words that the agent gave.
        limits: the other arguments by their names, those within `scope`, `filters` and `read_context` included.
        outcome: `ok`, `another_round`, or the code of the failure.
        hits: the number of passages, quotes or documents of the answer.
        cited: the documents that it cites, each once.
        size: bytes of the answer.
        seconds: the time until it was ready.
        withheld: the number of hits that their source could not confirm.
        notes: what the answer said about itself.
    """

    principal: str
    tool: str
    question: str
    phrasings: tuple[str, ...]
    limits: Mapping[str, object]
    outcome: str
    hits: int
    cited: tuple[CitedPlace, ...]
    size: int
    seconds: float
    withheld: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeptCall:
    """A call with its number and the moment at which it was answered."""

    number: int
    asked_at: datetime
    call: AgentCall
