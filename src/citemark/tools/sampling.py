"""The client's model, in both eras of the protocol: asked while the call runs, or by a second round of the call."""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from citemark.answering.state import Binding
from citemark.answering.ways import (
    INTELLIGENCE_PRIORITY,
    SPEED_PRIORITY,
    TEMPERATURE,
    Completion,
    Generated,
    NotGenerated,
    Pinned,
)

_MULTI_ROUND = "2026-07-28"
"""The first version in which a server asks by the result of a call instead of a request of its own."""

_KEY = "answer"
_GONE = (types.METHOD_NOT_FOUND, types.INVALID_REQUEST)


class AnotherRound(Exception):
    """The call has to be made again with what the client's model says; `result` asks for it."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__("another round")
        self.result = result


class CallersModel:
    """The model of the client behind one call."""

    def __init__(
        self,
        context: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams,
        binding: Binding,
        timeout: float,
    ) -> None:
        self._context = context
        self._params = params
        self._binding = binding
        self._timeout = timeout

    @property
    def binding(self) -> Binding:
        """Caller, tool and arguments of the call."""
        return self._binding

    @property
    def carried(self) -> str | None:
        """What the client sent back of the round before."""
        return self._params.request_state

    def in_first_round(self) -> "CallersModel":
        """The same model for a call whose earlier round is done with."""
        params = self._params.model_copy(update={"request_state": None, "input_responses": None})
        return CallersModel(self._context, params, self._binding, self._timeout)

    async def generate(self, asked: Completion, pin: Pinned) -> Generated:
        """What the client's model says.

        Raises:
            NotGenerated: there is no such model, or it said nothing that is text.
            AnotherRound: it has to be asked by another round.
        """
        if self._context.protocol_version >= _MULTI_ROUND and self.carried is not None:
            return _read((self._params.input_responses or {}).get(_KEY))
        capabilities = self._context.session.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            raise NotGenerated("unsupported")
        if self._context.protocol_version >= _MULTI_ROUND:
            state = await pin()
            raise AnotherRound(types.InputRequiredResult(input_requests={_KEY: _request(asked)}, request_state=state))
        return await self._ask(asked)

    async def _ask(self, asked: Completion) -> Generated:
        session = self._context.session
        if not session.can_send_request:
            raise NotGenerated("unsupported")
        try:
            # The wider of the two results: some clients answer with a list of blocks.
            said = await session.send_request(
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
        return _read(said)


def _request(asked: Completion) -> types.CreateMessageRequest:
    """One message, without the deprecated context of servers."""
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


def _read(said: object) -> Generated:
    if said is None:
        raise NotGenerated("declined")
    if not isinstance(said, types.CreateMessageResult | types.CreateMessageResultWithTools):
        raise NotGenerated("malformed")
    blocks: Sequence[object] = said.content if isinstance(said.content, list) else [said.content]
    texts = [block.text for block in blocks if isinstance(block, types.TextContent)]
    if not texts:
        raise NotGenerated("non_text" if blocks else "malformed")
    return Generated(text="\n".join(texts), model=said.model, stop_reason=said.stop_reason)
