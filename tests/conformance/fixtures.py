"""A test-only server with what the conformance suite calls by name, on the kernel of `serve --http`.

The kernel is all that a request passes before a tool: guards, bodies, transports and the web server.
"""

import asyncio
import json
import warnings
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from starlette.types import ASGIApp
from tests.conformance.fixture_pages import Pages
from tests.conformance.fixture_requests import (
    CAPITAL,
    DEFAULTS,
    ENUMS,
    JSON_SCHEMA,
    NAME,
    NO_ARGUMENTS,
    PAUSE,
    PIXEL,
    ROOTS,
    SILENCE,
    WHO,
    Call,
    Context,
    Given,
    Page,
    Rounds,
    completion_of,
    content_of,
    embedded,
    form,
    text_result,
)

from citemark.tools.http_app import http_app
from citemark.tools.server import Health


async def _asked(context: Context, request: Any, form: type[Any]) -> Any:
    """What the client of a handshake-era session answers."""
    from mcp.shared.message import ServerMessageMetadata  # noqa: PLC0415 - of this era alone

    about = ServerMessageMetadata(related_request_id=context.request_id)
    return await context.session.send_request(request, form, metadata=about)


class Fixtures:
    """The tools that the suite calls by name."""

    def __init__(self, rounds: Rounds) -> None:
        self._rounds = rounds
        self._bus = InMemorySubscriptionBus()
        self.listening = ListenHandler(self._bus)

    # Tools

    async def list_tools(self, context: Context, params: Page) -> types.ListToolsResult:
        """Every tool of the suite."""
        tools = [
            types.Tool(name=name, description="Of the suite.", input_schema=schema)
            for name, schema in self.schemas().items()
        ]
        return types.ListToolsResult(tools=tools, ttl_ms=1000, cache_scope="private")

    def schemas(self) -> dict[str, Given]:
        """The arguments of each tool."""
        words: Given = {"type": "object", "properties": {"prompt": {"type": "string"}, "message": {"type": "string"}}}
        header: Given = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
        named = [name for name in dir(self) if name.startswith("test_")]
        schemas = dict.fromkeys(named, NO_ARGUMENTS)
        schemas |= {"test_sampling": words, "test_elicitation": words, "test_header": header}
        schemas["json_schema_2020_12_tool"] = JSON_SCHEMA
        return schemas

    async def call_tool(self, context: Context, params: Call) -> types.CallToolResult | types.InputRequiredResult:
        """The tool of a name."""
        if params.name == "json_schema_2020_12_tool":
            return text_result("ok")
        if params.name not in self.schemas():
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown tool")
        return await getattr(self, params.name)(context, params)

    async def test_simple_text(self, context: Context, params: Any) -> types.CallToolResult:
        return text_result("This is a simple text response for testing.")

    async def test_image_content(self, context: Context, params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[types.ImageContent(data=PIXEL, mime_type="image/png")])

    async def test_audio_content(self, context: Context, params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[types.AudioContent(data=SILENCE, mime_type="audio/wav")])

    async def test_embedded_resource(self, context: Context, params: Any) -> types.CallToolResult:
        told = embedded("test://embedded-resource", "This is an embedded resource content.")
        return types.CallToolResult(content=[told])

    async def test_multiple_content_types(self, context: Context, params: Any) -> types.CallToolResult:
        return types.CallToolResult(
            content=[
                types.TextContent(text="Multiple content types test:"),
                types.ImageContent(data=PIXEL, mime_type="image/png"),
                embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
            ]
        )

    async def test_error_handling(self, context: Context, params: Any) -> types.CallToolResult:
        said = types.TextContent(text="This tool intentionally returns an error for testing")
        return types.CallToolResult(content=[said], is_error=True)

    async def test_tool_with_progress(self, context: Context, params: Any) -> types.CallToolResult:
        for progress in (0, 50, 100):
            await context.session.report_progress(progress, 100, f"{progress} of 100")
            await asyncio.sleep(PAUSE)
        return text_result("done")

    async def test_tool_with_logging(self, context: Context, params: Any) -> types.CallToolResult:
        for said in ("started", "processing", "completed"):
            send = context.session.send_log_message  # pyright: ignore[reportDeprecated] - the suite asks for it
            await send("info", said, related_request_id=context.request_id)
            await asyncio.sleep(PAUSE)
        return text_result("done")

    async def test_logging_tool(self, context: Context, params: Any) -> types.CallToolResult:
        return text_result("Nothing is logged for a request that sets no level.")

    async def test_header(self, context: Context, params: Call) -> types.CallToolResult:
        return text_result(str((params.arguments or {}).get("region")))

    async def test_trigger_tool_change(self, context: Context, params: Any) -> types.CallToolResult:
        await self._bus.publish(ToolsListChanged())
        return text_result("changed")

    async def test_trigger_prompt_change(self, context: Context, params: Any) -> types.CallToolResult:
        await self._bus.publish(PromptsListChanged())
        return text_result("changed")

    # Tools that ask in the handshake era

    async def test_sampling(self, context: Context, params: Call) -> types.CallToolResult:
        request = completion_of(str((params.arguments or {}).get("prompt")), 100)
        answer: types.CreateMessageResult = await _asked(context, request, types.CreateMessageResult)
        answer: types.CreateMessageResult = await _asked(context, request, types.CreateMessageResult)
        return text_result(
            f"LLM response: {answer.content.text if isinstance(answer.content, types.TextContent) else ''}"
        )

    async def test_elicitation(self, context: Context, params: Call) -> types.CallToolResult:
        wanted = form(str((params.arguments or {}).get("message")), username=NAME, email=NAME)
        return await self._elicited(context, wanted, "User response")

    async def test_elicitation_sep1034_defaults(self, context: Context, params: Any) -> types.CallToolResult:
        return await self._elicited(context, form("Who are you?", **DEFAULTS), "Elicitation completed")

    async def test_elicitation_sep1330_enums(self, context: Context, params: Any) -> types.CallToolResult:
        return await self._elicited(context, form("Choose", **ENUMS), "Elicitation completed")

    async def _elicited(self, context: Context, form: types.ElicitRequest, said: str) -> types.CallToolResult:
        answer: types.ElicitResult = await _asked(context, form, types.ElicitResult)
        return text_result(f"{said}: action={answer.action}, content={json.dumps(answer.content)}")

    # Tools that ask in rounds

    async def test_missing_capability(self, context: Context, params: Any) -> types.CallToolResult:
        capabilities = context.session.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            raise MCPError(
                code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
                message="This needs a client with sampling",
                data={"requiredCapabilities": {"sampling": {}}},
            )
        return text_result("ok")

    async def test_streaming_elicitation(self, context: Context, params: Call) -> Any:
        return self._rounds.once(params, {"user_name": WHO}) or text_result("ok")

    async def test_input_required_result_elicitation(self, context: Context, params: Call) -> Any:
        name = content_of(params, "user_name").get("name")
        return self._rounds.once(params, {"user_name": WHO}) or text_result(f"Hello, {name}!")

    async def test_input_required_result_sampling(self, context: Context, params: Call) -> Any:
        answer = (params.input_responses or {}).get("capital_question")
        return self._rounds.once(params, {"capital_question": CAPITAL}) or text_result(
            str(getattr(answer, "content", ""))
        )

    async def test_input_required_result_list_roots(self, context: Context, params: Call) -> Any:
        answer = (params.input_responses or {}).get("client_roots")
        return self._rounds.once(params, {"client_roots": ROOTS}) or text_result(f"Roots: {answer}")

    async def test_input_required_result_request_state(self, context: Context, params: Call) -> Any:
        confirm = form("Please confirm", ok={"type": "boolean"})
        return self._rounds.once(params, {"confirm": confirm}, state="confirm") or text_result("state-ok")

    async def test_input_required_result_tampered_state(self, context: Context, params: Call) -> Any:
        confirm = form("Please confirm", ok={"type": "boolean"})
        return self._rounds.once(params, {"confirm": confirm}, state="tampered") or text_result("state-ok")

    async def test_input_required_result_multiple_inputs(self, context: Context, params: Call) -> Any:
        asked = {"user_name": WHO, "greeting": completion_of("Generate a greeting", 50), "client_roots": ROOTS}
        return self._rounds.once(params, asked, state="several") or text_result("Hello!")

    async def test_input_required_result_multi_round(self, context: Context, params: Call) -> Any:
        said = self._rounds.state_of(params)
        if said == "two" and "step2" in (params.input_responses or {}):
            return text_result(f"Done: {content_of(params, 'step2')}")
        if said == "one" and "step1" in (params.input_responses or {}):
            return self._rounds.round_of({"step2": form("Step 2: What is your favorite color?", color=NAME)}, "two")
        return self._rounds.round_of({"step1": form("Step 1: What is your name?", name=NAME)}, "one")

    async def test_input_required_result_capabilities(self, context: Context, params: Call) -> Any:
        capabilities = context.session.client_capabilities
        asked: dict[str, Any] = {}
        if capabilities is not None and capabilities.sampling is not None:
            asked["capital_question"] = CAPITAL
        if capabilities is not None and capabilities.elicitation is not None:
            asked["user_name"] = WHO
        return (self._rounds.once(params, asked) if asked else None) or text_result("ok")


def fixtures_app() -> ASGIApp:
    """The web application over the suite's server, with sessions for the handshake era."""
    rounds = Rounds()
    fixtures, pages = Fixtures(rounds), Pages(rounds)
    warnings.simplefilter("ignore", MCPDeprecationWarning)  # the suite asks for logging
    server: Server[Any] = Server(  # pyright: ignore[reportDeprecated] - the suite asks for logging
        "citemark-conformance",
        version="1",
        get_tool_input_schema=lambda name: fixtures.schemas().get(name),
        on_list_tools=fixtures.list_tools,
        on_call_tool=fixtures.call_tool,
        on_list_resources=pages.list_resources,
        on_list_resource_templates=pages.list_templates,
        on_read_resource=pages.read_resource,
        on_subscribe_resource=pages.done,
        on_unsubscribe_resource=pages.done,
        on_subscriptions_listen=fixtures.listening,
        on_list_prompts=pages.list_prompts,
        on_get_prompt=pages.get_prompt,
        on_completion=pages.complete,
        on_set_logging_level=pages.done,
    )
    return http_app(server, lambda: Health("ready"), sessions=True)
