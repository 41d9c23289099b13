"""The method that answers: its documents as soon as they are found, then the words, then the check of them."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message

from citemark.grpc_api.conversion import part_of
from citemark.grpc_api.methods import EVIDENCE, Contract, Method, Parts
from citemark.query.v1.evidence_pb2 import AnswerCheck, AnswerDocuments, AnswerRequest, AnswerResponse, AnswerText
from citemark.results.answers import rounded_confidence, sources_of
from citemark.results.revealing import Revealer
from citemark.services.answer_keys import ANSWERS
from citemark.tools.answer_result import fitting_reply
from citemark.tools.answer_tools import NO_DOCUMENTS, AnswerIn, request_of
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

if TYPE_CHECKING:
    from citemark.services.answer_evidence import EvidenceSet


async def _answer(call: ToolCall, asked: AnswerIn, first: Callable[[Message], None]) -> ToolReply:
    def found(evidence: "EvidenceSet") -> None:
        first(AnswerResponse(documents=_documents(evidence, asked.question)))

    request = request_of(asked, call.settings)
    answered = await call.services.get(ANSWERS).answer(call.caller, request, found=found)
    return fitting_reply(call, answered, NO_DOCUMENTS)


def _words_and_check(content: Mapping[str, Any]) -> Iterator[Message]:
    yield AnswerResponse(text=part_of(AnswerText, content))
    yield AnswerResponse(check=part_of(AnswerCheck, content))


def _documents(evidence: "EvidenceSet", question: str) -> AnswerDocuments:
    sources = [source.model_dump(mode="json") for source in sources_of(evidence.documents, question)]
    shown: dict[str, Any] = Revealer().data({"query": question, "sources": sources})
    return AnswerDocuments(confidence=rounded_confidence(evidence.confidence), **shown)


ANSWER_METHODS: Contract = MappingProxyType(
    {EVIDENCE: {"Answer": Method("kb.answer", AnswerRequest, AnswerResponse, Parts(_answer, _words_and_check))}}
)
