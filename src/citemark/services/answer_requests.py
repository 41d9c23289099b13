"""The request for an answer, and the answer."""

from dataclasses import dataclass, field
from typing import Literal, assert_never

from citemark.answering.checked import CheckedAnswer
from citemark.answering.numbered_documents import Document
from citemark.answering.prompt import INTRODUCTION
from citemark.answering.ways import Failure, WayName
from citemark.model.scope import Filters, ReadContext, RequestScope
from citemark.services.empty import TOOL_ARGUMENTS, Arguments
from citemark.services.responses import ResponseMeta

Synthesis = Literal["auto", "never"]
Method = Literal["semantic_sampling", "semantic_provider", "semantic_extractive", "semantic_sampling_fallback"]


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """A question with its scope, the documents to answer from and the length of the answer.

    `introduction` is the sentence of the prompt that says what the documents are; `also` are further phrasings of the
    question, for the search alone. `arguments` are those of the tool that asks, for its advice.
    """

    question: str
    limit: int = 5
    min_score: float = 0.5
    max_answer_tokens: int = 500
    synthesis: Synthesis = "auto"
    scope: RequestScope = field(default_factory=RequestScope)
    filters: Filters = field(default_factory=Filters)
    read_context: ReadContext = field(default_factory=ReadContext)
    introduction: str = INTRODUCTION
    also: tuple[str, ...] = ()
    arguments: Arguments = TOOL_ARGUMENTS


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer in one of three tiers: checked text, documents alone, or nothing found.

    `checked` is None if there is no text; `documents` is empty if nothing was found. `cut` means that the model wrote
    more than it was asked for, and the rest was left out. `confidence`, in [0, 1], is that anything answers. `further`
    counts documents that reach the score and were not asked about.
    """

    question: str
    documents: tuple[Document, ...]
    meta: ResponseMeta
    way: WayName | None = None
    checked: CheckedAnswer | None = None
    model: str | None = None
    stop_reason: str | None = None
    failures: tuple[Failure, ...] = ()
    cut: bool = False
    confidence: float | None = None
    further: int = 0

    @property
    def total_found(self) -> int:
        """The number of documents that reach the score: those shown, and further ones that were not looked at."""
        return self.further + len({(document.citation.source, document.native_id) for document in self.documents})

    @property
    def method(self) -> Method:
        """How the answer came about, in the words of the tool surface."""
        match self.way:
            case "provider":
                return "semantic_provider"
            case "extractive":
                return "semantic_extractive"
            case "client_sampling":
                return "semantic_sampling"
            case None:
                return "semantic_sampling_fallback" if self.documents else "semantic_sampling"
            case _:
                assert_never(self.way)
