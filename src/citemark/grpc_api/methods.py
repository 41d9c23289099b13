"""Which tool each method of the contract stands for, and its messages."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from google.protobuf.message import Message

from citemark.query.v1 import evidence_pb2 as evidence
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

PACKAGE = "citemark.query.v1"
EVIDENCE = f"{PACKAGE}.EvidenceService"


@dataclass(frozen=True, slots=True)
class Parts:
    """How a method answers in several parts.

    Attributes:
        run: does what the tool does, and passes a first part on as soon as there is one.
        rest: the other parts, made from the content of the reply.
    """

    run: Callable[[ToolCall, Any, Callable[[Message], None]], Awaitable[ToolReply]]
    rest: Callable[[Mapping[str, Any]], Iterable[Message]]


@dataclass(frozen=True, slots=True)
class Method:
    """One method, which answers with one message unless it says otherwise.

    Attributes:
        tool: the name of its tool.
        request: the type of its request.
        response: the type of its responses.
        parts: how it answers in several parts.
        all_pages: it answers with a page of a list and, page after page, with the rest of it.
    """

    tool: str
    request: type[Message]
    response: type[Message]
    parts: Parts | None = None
    all_pages: bool = False

    @property
    def streams(self) -> bool:
        """Whether it answers with several messages."""
        return self.parts is not None or self.all_pages


Methods: TypeAlias = Mapping[str, Method]

Contract: TypeAlias = Mapping[str, Methods]
"""Methods by their names, by the full names of their services."""

CORE_METHODS: Contract = MappingProxyType(
    {
        EVIDENCE: {
            "Search": Method(
                "kb.search", evidence.EvidenceServiceSearchRequest, evidence.EvidenceServiceSearchResponse
            ),
            "RetrieveEvidence": Method(
                "kb.retrieve_evidence", evidence.RetrieveEvidenceRequest, evidence.RetrieveEvidenceResponse
            ),
            "ReadExcerpt": Method("kb.read_excerpt", evidence.ReadExcerptRequest, evidence.ReadExcerptResponse),
            "VerifyQuote": Method("kb.verify_quote", evidence.VerifyQuoteRequest, evidence.VerifyQuoteResponse),
        },
    }
)


def joined(contracts: Iterable[Contract]) -> Contract:
    """The services of several parts of the program; a service may have methods of more than one."""
    services: dict[str, dict[str, Method]] = {}
    for contract in contracts:
        for service, methods in contract.items():
            services.setdefault(service, {}).update(methods)
    return services
