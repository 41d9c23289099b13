"""What `make interop` does with the stubs in the wheel. Runs in an environment that has no more than gRPC besides."""

# Stubs that protoc makes have no types.
# pyright: basic, reportMissingImports=false

import json
import os
import sys
from typing import Any

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from grpc_status import rpc_status

from citemark.query.v1 import evidence_pb2 as evidence
from citemark.query.v1 import structured_query_pb2 as structured
from citemark.query.v1.evidence_pb2_grpc import EvidenceServiceStub
from citemark.query.v1.structured_query_pb2_grpc import StructuredQueryServiceStub

ADDRESS, QUESTION = sys.argv[1:]
SENT: dict[str, Any] = {"metadata": [("authorization", f"Bearer {os.environ['CITEMARK_TOKEN']}")], "timeout": 60}


def refusal(call: Any) -> dict[str, Any]:
    """The status of a call that fails, and what its details say."""
    try:
        call()
    except grpc.RpcError as error:
        failed: Any = error
        status: Any = rpc_status.from_call(failed)
        info, request = ErrorInfo(), BadRequest()
        for packed in status.details:
            packed.Unpack(info)
            packed.Unpack(request)
        named = [each.field for each in request.field_violations]
        return {"code": status.code, "details": f"{info.reason} {named}"}
    return {"code": 0, "details": ""}


with grpc.insecure_channel(ADDRESS) as channel:
    asked, models = EvidenceServiceStub(channel), StructuredQueryServiceStub(channel)
    found = asked.Search(evidence.EvidenceServiceSearchRequest(query=QUESTION), **SENT).results
    budget = evidence.EvidenceBudget(max_quotes=2)
    quotes = asked.RetrieveEvidence(evidence.RetrieveEvidenceRequest(question=QUESTION, budget=budget), **SENT).quotes
    excerpt = asked.ReadExcerpt(evidence.ReadExcerptRequest(passage_id=found[0].passage_id), **SENT)
    first = quotes[0]
    checked = asked.VerifyQuote(evidence.VerifyQuoteRequest(citation=first.citation, quote=first.quote), **SENT)
    pages = list(models.ListElements(structured.ListElementsRequest(page_size=2), **SENT))
    parts = list(asked.Answer(evidence.AnswerRequest(question=QUESTION), **SENT))
    seen = {
        "version": grpc.__version__,
        "previews": [hit.preview for hit in found],
        "quotes": [each.quote for each in quotes],
        "excerpt": excerpt.excerpt,
        "holds": checked.holds,
        "pages": [[each.element_name for each in page.elements] for page in pages],
        "total": pages[0].total,
        "parts": [part.WhichOneof("part") for part in parts],
        **refusal(lambda: asked.Search(evidence.EvidenceServiceSearchRequest(query=QUESTION, top_k=99), **SENT)),
    }
sys.stdout.write(json.dumps(seen))
