"""The use case: evidence, an answer written by whichever way succeeds, and a check of every sentence of it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from citemark.answering.checking import check, claims_no_matter
from citemark.answering.citations import mentions
from citemark.answering.extractive import extractive_answer, own_citations
from citemark.answering.numbered_documents import Document
from citemark.answering.prompt import MOST_TOKENS, USUAL_TOKENS, NoRoomForDocuments, Prompt, build_prompt
from citemark.answering.provider import Provider
from citemark.answering.state import SealedState
from citemark.answering.ways import ClientSampling, Failure, Tried, Way, WayName, first_that_works
from citemark.embedding.contract import Embedder
from citemark.evidence.budget import bytes_len, prefix_chars
from citemark.model.client_model import ClientModel
from citemark.model.completions import Completion, Generated, NotGenerated
from citemark.retrieval.question import phrasings_of
from citemark.services.answer_evidence import EvidenceCollector, EvidenceSet
from citemark.services.answer_requests import Answered, AnswerRequest
from citemark.services.evidence import nearness
from citemark.services.rephrasing import RephraseService
from citemark.services.requests import Caller

_BYTES_PER_TOKEN = 8
"""Bytes that an answer may have per requested token: no language needs more, and a model may ignore the cap."""


class AnswerService:
    """Answers questions in one of three tiers; it is not a failure if no model answers."""

    def __init__(
        self,
        *,
        collector: EvidenceCollector,
        embedder: Callable[[], Embedder | None],
        state: SealedState,
        provider: Provider | None,
        hint: str,
        rephrasing: RephraseService,
    ) -> None:
        """Store the collaborators.

        Args:
            collector: finds the evidence.
            embedder: returns the model that reranks spans for quotes, or None if there is no model.
            state: seals the state of a call between its rounds.
            provider: the configured model, or None if there is none.
            hint: the name of a model that a client may prefer.
            rephrasing: has questions phrased in other words by the same models.
        """
        self._collector = collector
        self._embedder = embedder
        self._state = state
        self._provider = provider
        self._hint = hint
        self.rephrasing = rephrasing

    async def close(self) -> None:
        """Close the connections to the provider."""
        if self._provider is not None:
            await self._provider.close()

    async def answer(
        self,
        caller: Caller,
        request: AnswerRequest,
        client: ClientModel | None = None,
        found: Callable[[EvidenceSet], None] = lambda _: None,
        wrote: Callable[[str], None] | None = None,
    ) -> Answered:
        """Find, generate, check; `found` is called with the evidence before a model is asked.

        `wrote` is told what a model has written so far, which is not checked yet and need not be what is answered.

        If the client's model has to be asked in another round, the exception that it raises for that passes through;
        the call of that round answers from the evidence of this one, as far as it may still be read.

        Raises:
            StateRefused: the state that the client sent back was not sealed for this call.
            ScopeViolation, InvalidArgument, BackendUnavailable: as in a search.
        """
        evidence = await self._evidence_for(caller, request, client)
        found(evidence)
        answered = await self._answered(request, client, evidence, wrote)
        return replace(answered, confidence=evidence.confidence, further=evidence.further)

    async def _answered(
        self,
        request: AnswerRequest,
        client: ClientModel | None,
        evidence: EvidenceSet,
        wrote: Callable[[str], None] | None,
    ) -> Answered:
        """The answer from evidence by the first way that has one, checked."""
        documents = evidence.documents
        if not documents or request.synthesis == "never":
            return Answered(request.question, documents, evidence.meta)
        prompt = await asyncio.to_thread(_prompt, request, documents, evidence.today)
        ways = self._ways(client, evidence) if prompt is not None else []
        quoting = Extractive(phrasings_of(request.question, request.also), documents, self._embedder)
        ways.append(quoting)
        completion = Completion(prompt.text if prompt else "", request.max_answer_tokens, self._hint, wrote)
        tried = await first_that_works(ways, completion)
        if tried.generated is None:
            return Answered(request.question, documents, evidence.meta, failures=tried.failures)
        if tried.way != "extractive" and await asyncio.to_thread(claims_no_matter, tried.generated.text, documents):
            # "I do not know" of a model is no answer: the reader gets the nearest words of the documents.
            gave_up = Failure(tried.way or "provider", "no_answer")
            again = await first_that_works([quoting], completion)
            tried = Tried(again.way, again.generated, (*tried.failures, gave_up, *again.failures))
            if tried.generated is None:
                return Answered(request.question, documents, evidence.meta, failures=tried.failures)
        text, cut = _bounded(tried.generated.text, request.max_answer_tokens)
        # Quotes are taken from all documents; a model has read only those that its prompt had room for.
        read_documents, citations, quotes = documents, own_citations(text), True
        if prompt is not None and tried.way != "extractive":
            read_documents, citations, quotes = tuple(shown.document for shown in prompt.shown), mentions(text), False
        return Answered(
            question=request.question,
            documents=documents,
            meta=replace(evidence.meta, partial=True, limit_reason="token_cap") if cut else evidence.meta,
            way=tried.way,
            checked=await asyncio.to_thread(check, text, read_documents, citations, quotes=quotes),
            model=tried.generated.model,
            stop_reason="maxTokens" if cut else tried.generated.stop_reason,
            failures=tried.failures,
            cut=cut,
        )

    def _ways(self, client: ClientModel | None, evidence: EvidenceSet) -> list[Way]:
        """The ways that ask a model, in the order in which to try them."""
        ways: list[Way] = []
        if client is not None:
            ways.append(ClientSampling(client, lambda: self._state.close(evidence.state(), client.binding)))
        if self._provider is not None:
            ways.append(self._provider)
        return ways

    async def _evidence_for(self, caller: Caller, request: AnswerRequest, client: ClientModel | None) -> EvidenceSet:
        if client is None or client.carried is None:
            return await self._collector.find(caller, request)
        state = await self._state.open(client.carried, client.binding)
        return await self._collector.reopen(caller, request, state)


class Extractive:
    """The way that needs no model: the words of the documents themselves, the same for the same evidence."""

    def __init__(
        self, phrasings: Sequence[str], documents: Sequence[Document], embedder: Callable[[], Embedder | None]
    ) -> None:
        self._phrasings = phrasings
        self._documents = documents
        self._embedder = embedder

    @property
    def name(self) -> WayName:
        """The name of this way in a result."""
        return "extractive"

    async def generate(self, asked: Completion) -> Generated:
        """Quotes with their numbers.

        Raises:
            NotGenerated: nothing in the documents can be quoted.
        """
        text = await asyncio.to_thread(self._quoted, asked.max_tokens)
        if text is None:
            raise NotGenerated("unsupported")
        return Generated(text)

    def _quoted(self, most_tokens: int) -> str | None:
        near = nearness(self._phrasings, self._embedder())
        return extractive_answer(self._phrasings, self._documents, near=near, most_tokens=most_tokens)


def _prompt(request: AnswerRequest, documents: Sequence[Document], today: str) -> Prompt | None:
    """The prompt for a model; None if the question is so long that no document fits beside it."""
    for tokens in (USUAL_TOKENS, MOST_TOKENS):
        try:
            return build_prompt(request.question, documents, tokens, request.introduction, today=today)
        except NoRoomForDocuments:
            continue
    return None


def _bounded(text: str, max_tokens: int) -> tuple[str, bool]:
    """The answer up to the length that it may have, ending with a whole sentence or line where one ends late enough."""
    text = text.strip()
    most = max_tokens * _BYTES_PER_TOKEN
    if bytes_len(text) <= most:
        return text, False
    kept = text[: prefix_chars(text, most)]
    end = max(kept.rfind(mark) for mark in (". ", ".\n", "\n", "! ", "? "))
    return (kept[: end + 1] if end > len(kept) // 2 else kept).rstrip(), True
