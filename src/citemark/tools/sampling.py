"""The client's model in both generations of the protocol: asked while the call runs, or in a second round of it."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import mcp_types as types
from cachetools import LRUCache
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from citemark.model.client_model import Binding, Pinned
from citemark.model.completions import (
    INTELLIGENCE_PRIORITY,
    SPEED_PRIORITY,
    TEMPERATURE,
    Completion,
    Generated,
    NotGenerated,
)
from citemark.text.reasoning import without_reasoning

_MULTI_ROUND = "2026-07-28"
"""The first protocol version in which a server asks through the result of a call, not with a request of its own."""

_MOST_SESSIONS = 1_000
"""Sessions that are remembered; who declined in an older one is asked again."""

_TOGETHER_SECONDS = 2.0
"""Calls that begin this soon after one another were made together: the first may still be waiting for its person."""

_KEY = "answer"
_GONE = (types.METHOD_NOT_FOUND, types.INVALID_REQUEST)


class AnotherRound(Exception):
    """The client has to repeat the call with its model's response; `result` asks for that."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__("another round")
        self.result = result


class DeclinedSessions:
    """The sessions in which a client has declined to ask its model: it is not asked again in them.

    In the protocol with several rounds, most clients end a call that their person declined without telling the server.
    So whoever goes on with another call has declined too, until they answer after all.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin without sessions; `clock` gives seconds."""
        self._clock = clock
        self._sessions = LRUCache[str, bool](_MOST_SESSIONS)
        self._unanswered = LRUCache[str, float](_MOST_SESSIONS)

    def __contains__(self, context: ServerRequestContext[Any, Any]) -> bool:
        session = _session_of(context)
        if session is None:
            return False
        since = self._unanswered.get(session)
        return session in self._sessions or (since is not None and self._clock() - since > _TOGETHER_SECONDS)

    def note_asked(self, context: ServerRequestContext[Any, Any]) -> None:
        """Remember that the client was asked for another round of this call."""
        session = _session_of(context)
        if session is not None:
            self._unanswered.setdefault(session, self._clock())

    def note_returned(self, context: ServerRequestContext[Any, Any]) -> None:
        """The client has come back with another round, and so it does when its person agrees."""
        session = _session_of(context)
        if session is not None:
            self._unanswered.pop(session, None)

    def add(self, context: ServerRequestContext[Any, Any]) -> None:
        """Remember that the client declined in the session of this call, if it has one."""
        session = _session_of(context)
        if session is not None:
            self._sessions[session] = True


def _session_of(context: ServerRequestContext[Any, Any]) -> str | None:
    """The id of a call's session, "" for the one client of a server over stdio; None for a call without a session."""
    return "" if context.request is None else context.request.headers.get("mcp-session-id")


class CallersModel:
    """The model of the client that made one call."""

    def __init__(
        self,
        context: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams,
        binding: Binding,
        timeout: float,
        declined: DeclinedSessions,
    ) -> None:
        self._declined = declined
        self._context = context
        self._params = params
        self._binding = binding
        self._timeout = timeout

    @property
    def binding(self) -> Binding:
        """The caller, tool and arguments of the call."""
        return self._binding

    @property
    def carried(self) -> str | None:
        """The request state from the previous round, as the client sent it back; None in the first round."""
        return self._params.request_state

    def in_first_round(self) -> "CallersModel":
        """The same model, as if the call were in its first round: the earlier round has been dealt with."""
        params = self._params.model_copy(update={"request_state": None, "input_responses": None})
        return CallersModel(self._context, params, self._binding, self._timeout, self._declined)

    async def generate(self, asked: Completion, pin: Pinned) -> Generated:
        """Return what the client's model generates.

        Raises:
            NotGenerated: the client has no model, has declined in this session, or the model returned no text.
            AnotherRound: the model has to be asked in another round.
        """
        if self.carried is None and self._context in self._declined:
            raise NotGenerated("declined")
        try:
            return await self._generated(asked, pin)
        except NotGenerated as error:
            if error.reason == "declined":
                self._declined.add(self._context)
            raise

    async def _generated(self, asked: Completion, pin: Pinned) -> Generated:
        if self._context.protocol_version >= _MULTI_ROUND and self.carried is not None:
            self._declined.note_returned(self._context)
            return _read((self._params.input_responses or {}).get(_KEY))
        capabilities = self._context.session.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            raise NotGenerated("unsupported")
        if self._context.protocol_version >= _MULTI_ROUND:
            state = await pin()
            self._declined.note_asked(self._context)
            raise AnotherRound(types.InputRequiredResult(input_requests={_KEY: _request(asked)}, request_state=state))
        return await self._ask(asked)

    async def _ask(self, asked: Completion) -> Generated:
        session = self._context.session
        if not session.can_send_request:
            raise NotGenerated("unsupported")
        try:
            # The more general of the two result types: some clients answer with a list of blocks.
            response = await session.send_request(
                _request(asked),
                types.CreateMessageResultWithTools,
                request_read_timeout_seconds=self._timeout,
                metadata=ServerMessageMetadata(related_request_id=self._context.request_id),
            )
        except NoBackChannelError:
            raise NotGenerated("unsupported") from None
        except MCPError as error:
            if error.code == types.REQUEST_TIMEOUT:
                raise NotGenerated("timeout") from None
            raise NotGenerated("unsupported" if error.code in _GONE else "declined") from None
        except ValidationError:
            raise NotGenerated("malformed") from None
        return _read(response)


def _request(asked: Completion) -> types.CreateMessageRequest:
    """A request with a single message, without the deprecated server context."""
    message = types.SamplingMessage(role="user", content=types.TextContent(text=asked.prompt))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[message],
            max_tokens=asked.max_tokens,
            temperature=TEMPERATURE,
            model_preferences=types.ModelPreferences(
                hints=[types.ModelHint(name=asked.hint)] if asked.hint else None,
                intelligence_priority=INTELLIGENCE_PRIORITY,
                speed_priority=SPEED_PRIORITY,
            ),
        )
    )


def _read(response: object) -> Generated:
    if response is None:
        raise NotGenerated("declined")
    if not isinstance(response, types.CreateMessageResult | types.CreateMessageResultWithTools):
        raise NotGenerated("malformed")
    blocks: Sequence[object] = response.content if isinstance(response.content, list) else [response.content]
    texts = [block.text for block in blocks if isinstance(block, types.TextContent)]
    if not texts:
        raise NotGenerated("non_text" if blocks else "malformed")
    text = without_reasoning("\n".join(texts))
    if not text:
        raise NotGenerated("malformed", what="no text besides reasoning")
    return Generated(text=text, model=response.model, stop_reason=response.stop_reason)
