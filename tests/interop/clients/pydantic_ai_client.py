"""pydantic-ai: an agent whose model is a function, so that what a model is shown is what is looked at."""

# pyright: basic, reportMissingImports=false
# The library lives in an environment of its own, out of the type checker's sight.

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import visit
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


class PydanticAI:
    def __init__(self, toolset: Any) -> None:
        self._toolset = toolset

    async def tools(self) -> list[str]:
        seen: list[str] = []

        def model(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            seen.extend(tool.name for tool in info.function_tools)
            return ModelResponse(parts=[TextPart("done")])

        await Agent(FunctionModel(model), toolsets=[self._toolset]).run("list")
        return seen

    async def call(self, name: str, arguments: dict[str, Any]) -> visit.Result:
        shown: list[visit.Result] = []

        def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
            for part in messages[-1].parts:
                if isinstance(part, RetryPromptPart):
                    shown.append(visit.Result(part.model_response(), None, is_error=True))
                elif isinstance(part, ToolReturnPart):
                    structured = part.content if isinstance(part.content, dict) else None
                    shown.append(
                        visit.Result(part.model_response_str(), structured, is_error=part.outcome != "success")
                    )
            return ModelResponse(parts=[TextPart("done") if shown else ToolCallPart(name, arguments)])

        await Agent(FunctionModel(model), toolsets=[self._toolset]).run("call")
        return shown[0]

    async def read(self, uri: str) -> str:
        return await self._toolset.read_resource(uri)

    def protocol(self) -> str:
        return self._toolset.client.protocol_version


@asynccontextmanager
async def connect(url: str) -> AsyncGenerator[PydanticAI]:
    def model(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(visit.SAYS)])

    toolset: Any = MCPToolset(url, headers=visit.HEADERS, sampling_model=FunctionModel(model))
    async with toolset:
        yield PydanticAI(toolset)


visit.run("pydantic-ai-slim", connect)
