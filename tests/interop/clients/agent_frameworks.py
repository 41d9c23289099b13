"""Agents of other makers: each lists the server's tools to a model, lets it call one and gives its last word.

Runs in the environment of one framework: `agent_frameworks.py FRAMEWORK SERVER QUESTION MODEL`, the last two addresses.
"""

# pyright: basic, reportMissingImports=false
# The libraries live in environments of their own, out of the type checker's sight.
# ruff: noqa: PLC0415 - each environment has one of them

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version

KEY = "sk-fake"
MODEL = "gpt-4o"
HEADERS = {"Authorization": f"Bearer {os.environ['CITEMARK_TOKEN']}"} if "CITEMARK_TOKEN" in os.environ else {}


async def openai_agents(server: str, question: str, model: str) -> str:
    from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
    from agents.mcp import MCPServerStreamableHttp
    from openai import AsyncOpenAI

    set_tracing_disabled(disabled=True)
    async with MCPServerStreamableHttp({"url": server, "headers": HEADERS}, client_session_timeout_seconds=60) as tools:
        asked = OpenAIChatCompletionsModel(MODEL, AsyncOpenAI(base_url=model, api_key=KEY))
        done = await Runner.run(Agent(name="reader", model=asked, mcp_servers=[tools]), question)
    return str(done.final_output)


async def semantic_kernel(server: str, question: str, model: str) -> str:
    from openai import AsyncOpenAI
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
    from semantic_kernel.connectors.mcp import MCPStreamableHttpPlugin

    async with MCPStreamableHttpPlugin("citemark", server, headers=HEADERS) as plugin:
        service = OpenAIChatCompletion(MODEL, async_client=AsyncOpenAI(base_url=model, api_key=KEY))
        done = await ChatCompletionAgent(service=service, name="reader", plugins=[plugin]).get_response(question)
    return str(done.message)


async def strands_agents(server: str, question: str, model: str) -> str:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client
    from strands import Agent
    from strands.models.openai import OpenAIModel
    from strands.tools.mcp import MCPClient

    asked = OpenAIModel(client_args={"base_url": model, "api_key": KEY}, model_id=MODEL)
    http = httpx2.AsyncClient(headers=HEADERS, timeout=60)
    with MCPClient(lambda: streamable_http_client(server, http_client=http)) as client:
        agent = Agent(model=asked, tools=client.list_tools_sync(), callback_handler=None)
        return str(await agent.invoke_async(question)).strip()


async def smolagents(server: str, question: str, model: str) -> str:
    from smolagents import MCPClient, OpenAIModel, ToolCallingAgent

    def work() -> str:
        place = {"url": server, "transport": "streamable-http", "headers": HEADERS}
        with MCPClient(place, structured_output=False) as tools:
            asked = OpenAIModel(MODEL, api_base=model, api_key=KEY)
            return str(ToolCallingAgent(tools=tools, model=asked, max_steps=4, verbosity_level=0).run(question))

    return await asyncio.to_thread(work)


async def agno(server: str, question: str, model: str) -> str:
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat
    from agno.tools.mcp import MCPTools, StreamableHTTPClientParams

    place = StreamableHTTPClientParams(url=server, headers=HEADERS)
    async with MCPTools(server_params=place, transport="streamable-http", timeout_seconds=60) as tools:
        asked = OpenAIChat(id=MODEL, base_url=model, api_key=KEY)
        done = await Agent(model=asked, tools=[tools], telemetry=False).arun(question)
    return str(done.content)


async def google_adk(server: str, question: str, model: str) -> str:
    from google.adk.agents import LlmAgent
    from google.adk.models.lite_llm import LiteLlm
    from google.adk.runners import InMemoryRunner
    from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams

    toolset = McpToolset(connection_params=StreamableHTTPConnectionParams(url=server, headers=HEADERS, timeout=60))
    asked = LiteLlm(model=f"openai/{MODEL}", api_base=model, api_key=KEY)
    runner = InMemoryRunner(LlmAgent(name="reader", model=asked, tools=[toolset]), app_name="interop")
    said: list[str] = []
    for event in await runner.run_debug(question, quiet=True):
        said += [part.text for part in (event.content.parts if event.content else None) or () if part.text]
    await toolset.close()
    return said[-1]


async def autogen_ext(server: str, question: str, model: str) -> str:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient
    from autogen_ext.tools.mcp import StreamableHttpServerParams, mcp_server_tools

    tools = await mcp_server_tools(StreamableHttpServerParams(url=server, headers=HEADERS, timeout=60))
    asked = OpenAIChatCompletionClient(model=MODEL, base_url=model, api_key=KEY)
    agent = AssistantAgent("reader", asked, tools=tools, reflect_on_tool_use=True)
    done = await agent.run(task=question)
    return str(done.messages[-1].content)


async def crewai_tools(server: str, question: str, model: str) -> str:
    from crewai import LLM, Agent, Crew, Task
    from crewai_tools import MCPServerAdapter

    def work() -> str:
        with MCPServerAdapter({"url": server, "transport": "streamable-http", "headers": HEADERS}) as tools:
            asked = LLM(model=f"openai/{MODEL}", base_url=model, api_key=KEY)
            reader = Agent(role="reader", goal="answer", backstory="reads", tools=list(tools), llm=asked, max_iter=4)
            task = Task(description=question, expected_output="an answer", agent=reader)
            return str(Crew(agents=[reader], tasks=[task], verbose=False).kickoff())

    return await asyncio.to_thread(work)


async def pydantic_ai_slim(server: str, question: str, model: str) -> str:
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    asked = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=model, api_key=KEY))
    return (await Agent(asked, toolsets=[MCPToolset(server, headers=HEADERS)]).run(question)).output


async def langchain_mcp_adapters(server: str, question: str, model: str) -> str:
    from langchain.agents import create_agent
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_openai import ChatOpenAI

    client = MultiServerMCPClient({"citemark": {"transport": "streamable_http", "url": server, "headers": HEADERS}})
    agent = create_agent(ChatOpenAI(model=MODEL, base_url=model, api_key=KEY), await client.get_tools())
    done = await agent.ainvoke({"messages": [{"role": "user", "content": question}]})
    return done["messages"][-1].content


FRAMEWORKS: dict[str, Callable[[str, str, str], Awaitable[str]]] = {
    "openai-agents": openai_agents,
    "semantic-kernel": semantic_kernel,
    "strands-agents": strands_agents,
    "smolagents": smolagents,
    "agno": agno,
    "google-adk": google_adk,
    "autogen-ext": autogen_ext,
    "crewai-tools": crewai_tools,
    "pydantic-ai-slim": pydantic_ai_slim,
    "langchain-mcp-adapters": langchain_mcp_adapters,
}


if __name__ == "__main__":
    framework, *asked = sys.argv[1:]
    said = asyncio.run(FRAMEWORKS[framework](*asked))  # pyright: ignore[reportArgumentType]
    print("\n" + json.dumps({"version": version(framework), "answer": said}))  # noqa: T201 - the answer
