"""What `make interop` does with nothing but reflection: no file of the contract and no code that was made from it."""

# Messages that are made of what a server says have no types.
# pyright: basic

import json
import os
import sys
from typing import Any, NamedTuple

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

ADDRESS, QUESTION = sys.argv[1:]
TOKEN = ("authorization", f"Bearer {os.environ['CITEMARK_TOKEN']}")


class Details(NamedTuple):
    """What gRPC reads of a call that an interceptor changed."""

    method: str
    timeout: float
    metadata: list[tuple[str, str]]
    credentials: Any
    wait_for_ready: Any
    compression: Any


class WithToken(
    grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor, grpc.StreamStreamClientInterceptor
):
    """Sends the token with every call, those of reflection among them."""

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return continuation(self._with(client_call_details), request)

    intercept_unary_stream = intercept_unary_unary  # pyright: ignore[reportAssignmentType] - other types of call
    intercept_stream_stream = intercept_unary_unary  # pyright: ignore[reportAssignmentType] - gRPC goes by place

    def _with(self, call: Any) -> Any:
        return Details(call.method, 60, [TOKEN], call.credentials, call.wait_for_ready, call.compression)


class Reflected:
    """Calls methods by the names that the server gives them."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        database = ProtoReflectionDescriptorDatabase(channel)
        self._pool = DescriptorPool(database)
        self._services = {name.rpartition(".")[2]: name for name in database.get_services()}

    def call(self, service: str, name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        """The responses as data."""
        full = self._services[service]
        method: Any = self._pool.FindServiceByName(full).methods_by_name[name]
        request = ParseDict(arguments, GetMessageClass(method.input_type)())
        response = GetMessageClass(method.output_type)
        streams = method.server_streaming
        start: Any = self._channel.unary_stream if streams else self._channel.unary_unary
        called = start(f"/{full}/{name}", type(request).SerializeToString, response.FromString)
        answer = called(request)
        messages = list(answer) if streams else [answer]
        return [MessageToDict(each, preserving_proto_field_name=True) for each in messages]


def refusal(server: Reflected) -> dict[str, Any]:
    """The status of a call that fails, and its details."""
    try:
        server.call("EvidenceService", "Search", {"query": QUESTION, "top_k": 99})
    except grpc.RpcError as error:
        failed: Any = error
        details = dict(failed.trailing_metadata())["grpc-status-details-bin"]
        return {"code": failed.code().value[0], "details": details.decode("utf-8", "replace")}
    return {"code": 0, "details": ""}


with grpc.insecure_channel(ADDRESS) as plain:
    server = Reflected(grpc.intercept_channel(plain, WithToken()))
    found = server.call("EvidenceService", "Search", {"query": QUESTION})[0]["results"]
    asked = {"question": QUESTION, "budget": {"max_quotes": 2}}
    quotes = server.call("EvidenceService", "RetrieveEvidence", asked)[0]["quotes"]
    excerpt = server.call("EvidenceService", "ReadExcerpt", {"passage_id": found[0]["passage_id"]})[0]
    cited = {"citation": quotes[0]["citation"], "quote": quotes[0]["quote"]}
    pages = server.call("StructuredQueryService", "ListElements", {"page_size": 2})
    parts = server.call("EvidenceService", "Answer", {"question": QUESTION})
    seen = {
        "version": grpc.__version__,
        "previews": [hit["preview"] for hit in found],
        "quotes": [each["quote"] for each in quotes],
        "excerpt": excerpt["excerpt"],
        "holds": server.call("EvidenceService", "VerifyQuote", cited)[0]["holds"],
        "pages": [[each["element_name"] for each in page.get("elements", ())] for page in pages],
        "total": pages[0].get("total", 0),
        "parts": [name for part in parts for name in part],
        **refusal(server),
    }
sys.stdout.write(json.dumps(seen))
