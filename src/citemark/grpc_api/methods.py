"""Which tool each method of the contract stands for, and its messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from google.protobuf.message import Message

from citemark.query.v1 import evidence_pb2 as evidence
from citemark.query.v1 import semantic_query_pb2 as semantic
from citemark.query.v1 import structured_query_pb2 as structured

PACKAGE = "citemark.query.v1"
EVIDENCE = f"{PACKAGE}.EvidenceService"


@dataclass(frozen=True, slots=True)
class Method:
    """One method: the name of its tool, and the types of its messages; `streams` if it answers in several parts."""

    tool: str
    request: type[Message]
    response: type[Message]
    streams: bool = False


Methods: TypeAlias = Mapping[str, Method]

SERVICES: Mapping[str, Methods] = MappingProxyType(
    {
        f"{PACKAGE}.SemanticQueryService": {
            "Search": Method(
                "architecture.semanticSearch",
                semantic.SemanticQueryServiceSearchRequest,
                semantic.SemanticQueryServiceSearchResponse,
            ),
            "GetContext": Method("architecture.getContext", semantic.GetContextRequest, semantic.GetContextResponse),
        },
        f"{PACKAGE}.StructuredQueryService": {
            name: Method(
                f"architecture.{name[0].lower()}{name[1:]}",
                getattr(structured, f"{name}Request"),
                getattr(structured, f"{name}Response"),
            )
            for name in (
                "ListElements",
                "GetElement",
                "ListRelationships",
                "SearchElements",
                "GetView",
                "ListBaselines",
                "DiffBaselines",
            )
        },
        EVIDENCE: {
            "Search": Method(
                "kb.search", evidence.EvidenceServiceSearchRequest, evidence.EvidenceServiceSearchResponse
            ),
            "RetrieveEvidence": Method(
                "kb.retrieve_evidence", evidence.RetrieveEvidenceRequest, evidence.RetrieveEvidenceResponse
            ),
            "ReadExcerpt": Method("kb.read_excerpt", evidence.ReadExcerptRequest, evidence.ReadExcerptResponse),
            "VerifyQuote": Method("kb.verify_quote", evidence.VerifyQuoteRequest, evidence.VerifyQuoteResponse),
            "Answer": Method("kb.answer", evidence.AnswerRequest, evidence.AnswerResponse, streams=True),
        },
    }
)
"""The methods by the full name of their service."""
