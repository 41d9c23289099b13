"""Calls of the query services, as the MCP tools run them: the same checks of arguments, budgets and results."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import Message

from citemark.grpc_api.conversion import arguments_of, message_of
from citemark.grpc_api.methods import Method, Parts
from citemark.model.errors import CitemarkError
from citemark.results.shape import Strict
from citemark.retrieval.question import stage
from citemark.services.bundle import Services
from citemark.services.people.call_limits import CallLimits
from citemark.services.question_rephrasing import REPHRASING
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.arguments import parse_arguments
from citemark.tools.phrased_calls import Phrased, wants_phrasings, with_phrasings
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import PackedReply, ReplyPacker, ToolReply
from citemark.tools.seen_calls import CallObserver, SeenCall, answered_call
from citemark.tools.timed_calls import ServicesProvider, TimedCalls


@dataclass(slots=True)
class _Packing:
    """Measures the replies of one call by the cap of the MCP tools, and keeps the last for sending."""

    packer: ReplyPacker = field(default_factory=lambda: ReplyPacker(structured=True))
    _last: tuple[ToolReply, PackedReply] | None = None

    def fits(self, reply: ToolReply) -> bool:
        """Whether a reply stays below the cap."""
        packed = self.packer.pack(reply)
        self._last = (reply, packed)
        return self.packer.within(packed)

    def content(self, reply: ToolReply) -> Mapping[str, Any]:
        """The reply as data, in which nothing is hidden."""
        packed = self._last[1] if self._last is not None and self._last[0] is reply else self.packer.pack(reply)
        return packed.structured or {}


class QueryCalls:
    """Runs calls for all callers of one server."""

    def __init__(
        self,
        services: ServicesProvider,
        settings: Settings,
        limits: CallLimits | None = None,
        observers: Sequence[CallObserver] = (),
    ) -> None:
        self._timed = TimedCalls(services, settings.tool_timeout, limits)
        self._settings = settings
        self._observers = observers

    async def answer_one(self, method: Method, tool: Tool, caller: Caller, raw: bytes, left: float | None) -> Message:
        """The response to a request; `left` are the seconds for which the caller still waits.

        Raises:
            CitemarkError: as from the tool.
        """
        seen = _Watch(self._observers, caller, tool)
        with seen:
            arguments = seen.arguments = arguments_of(method.request, raw)
            asked = parse_arguments(tool.takes, arguments)
            packing = _Packing()

            async def work(opened: Services) -> ToolReply:
                phrased = await self._phrased(opened, caller, asked)
                call = ToolCall(opened, caller, self._settings, packing.fits)
                spanned = stage(tool.name)(tool.handle)
                return phrased.noted(await spanned(phrased.narrowed(call), phrased.asked))

            reply = await self._timed.run(caller, work, more=self._for_phrasings(asked), left=_rounded(left))
            content = packing.content(reply)
            message = message_of(method.response, content)
            seen.answered(arguments, content, message.ByteSize())
            return message

    async def answer_in_parts(
        self, method: Method, parts: Parts, tool: Tool, caller: Caller, raw: bytes, left: float | None
    ) -> AsyncGenerator[Message]:
        """The parts of an answer, the first as soon as there is one.

        Raises:
            CitemarkError: as from the tool.
        """
        seen = _Watch(self._observers, caller, tool)
        with seen:
            arguments = seen.arguments = arguments_of(method.request, raw)
            asked = parse_arguments(tool.takes, arguments)
            packing = _Packing()
            first: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

            async def work(opened: Services) -> ToolReply:
                phrased = await self._phrased(opened, caller, asked)
                call = phrased.narrowed(ToolCall(opened, caller, self._settings, packing.fits))
                spanned = stage(tool.name)(parts.run)
                return phrased.noted(await spanned(call, phrased.asked, first.set_result))

            more = self._settings.tool_timeout + self._for_phrasings(asked)
            running = asyncio.create_task(self._timed.run(caller, work, more=more, left=_rounded(left)))
            try:
                await asyncio.wait((running, first), return_when=asyncio.FIRST_COMPLETED)
                if first.done():
                    yield first.result()
                content = packing.content(await running)
            finally:
                running.cancel()
                await asyncio.wait((running,))
            size = 0
            for part in parts.rest(content):
                size += part.ByteSize()
                yield part
            seen.answered(arguments, content, size)

    async def _phrased(self, opened: Services, caller: Caller, asked: Strict) -> Phrased:
        """The arguments, with phrasings by the configured model where the settings have it write some."""
        rephrasing = opened.optional(REPHRASING) if self._for_phrasings(asked) else None
        if rephrasing is None:
            return Phrased(asked, "", None)
        return await with_phrasings(rephrasing, caller, asked, None)

    def _for_phrasings(self, asked: Strict) -> float:
        """Seconds that a model may take to phrase a question anew."""
        return self._settings.tool_timeout if self._settings.rephrase and wants_phrasings(asked) else 0


def _rounded(left: float | None) -> float | None:
    """Whole seconds, since each new limit of a statement costs a round trip to the database.

    The call itself is cancelled on the dot, and with it what the database does for it.
    """
    return None if left is None else float(max(1, math.ceil(left)))


class _Watch:
    """Reports one call to the observers, however it ends; one that its client gave up is reported as timed out."""

    def __init__(self, observers: Sequence[CallObserver], caller: Caller, tool: Tool) -> None:
        self._observers = observers
        self._who = caller.principal.key
        self._tool = tool.name
        self._began = time.monotonic()
        self._told = False
        self.arguments: Mapping[str, Any] = {}

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None and not self._told:
            match error:
                case CitemarkError():
                    outcome: str = error.code
                case Exception():
                    outcome = "INTERNAL_ERROR"
                case _:
                    outcome = "TIMEOUT"
            seconds = time.monotonic() - self._began
            self._tell(SeenCall(self._who, self._tool, outcome, 0, seconds, arguments=self.arguments))

    def answered(self, arguments: Mapping[str, Any], content: Mapping[str, Any], size: int) -> None:
        """Report that the call succeeded."""
        seconds = time.monotonic() - self._began
        self._tell(answered_call(self._who, self._tool, arguments, content, size, seconds))

    def _tell(self, call: SeenCall) -> None:
        self._told = True
        for observe in self._observers:
            observe(call)
