"""The MCP server: turns requests into tool calls and results into messages, over any transport."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, assert_never

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from citemark import __version__
from citemark.model.client_model import Binding, StateRefused
from citemark.model.errors import CitemarkError
from citemark.model.scope import READ, Principal
from citemark.results.revealing import Revealer
from citemark.results.shape import ErrorBody, JsonSchema
from citemark.results.written import minified
from citemark.services.advice import for_reader
from citemark.services.bundle import Services
from citemark.services.question_rephrasing import REPHRASING
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.text.escaping import one_line
from citemark.tools.arguments import parse_arguments
from citemark.tools.host_apps import FRAGMENT, AppPages, fragment_of, linked, page_of_app, shows_apps
from citemark.tools.instructions import instructions_for
from citemark.tools.phrased_calls import wants_phrasings, with_phrasings
from citemark.tools.registry import Registry, Spelling, Tool, ToolCall, respell
from citemark.tools.reply import (
    DocumentLink,
    Link,
    PackedReply,
    PassageLink,
    ReplyPacker,
    ToolReply,
    body_of,
    body_of_crash,
)
from citemark.tools.resources import (
    PLAYBOOK_URI,
    playbook,
    playbook_text,
    schema_template,
    schema_text,
    scratch_template,
    scratch_text,
)
from citemark.tools.sampling import AnotherRound, CallersModel, DeclinedSessions
from citemark.tools.server_info import BRIEF, icons, website_url
from citemark.tools.timed_calls import ServicesProvider, TimedCalls
from citemark.tools.tool_catalog import ToolCatalog

if TYPE_CHECKING:
    from citemark.services.people.call_limits import CallLimits
    from citemark.tools.seen_calls import CallObserver, SeenCall

ServerContext = ServerRequestContext[Any, Any]
PageParams = types.PaginatedRequestParams | None

_FIVE_MINUTES_MS = 300_000
"""How long clients may cache what depends on the caller's sources."""

_HOUR_MS = 3_600_000
"""How long clients may cache what only a new release changes."""

_FIRST_WITH_LINKS = "2025-06-18"
"""The protocol version since which clients know links to resources; before it, they refuse a result that has one."""

_CALLERS_FAULT = frozenset({"INVALID_ARGUMENT", "SCOPE_VIOLATION"})
"""Codes of errors that another request avoids; as JSON-RPC errors they are invalid parameters."""


CallerOf: TypeAlias = Callable[[ServerContext], Caller]
"""Determines who sent a request, for a server that answers several people."""


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the index behind a server. `reason` says why it is unavailable, if that is known."""

    status: Literal["ready", "opening", "unavailable"]
    reason: str | None = None


def build_server(
    services: ServicesProvider,
    settings: Settings,
    caller: Caller | CallerOf,
    catalog: ToolCatalog,
    limits: "CallLimits | None" = None,
    observers: "Sequence[CallObserver]" = (),
    app_pages: AppPages | None = None,
) -> Server[Any]:
    """A server for one caller, with the namespace of that caller's handles, or for the sender of each request.

    Calls await `services` until it has succeeded, and again once the index is closed; lists do not wait for it.
    `catalog` decides which tools are listed; the clients of a single caller can listen for changes. Without `app_pages`
    there are no apps for hosts.
    """
    surface = _Surface(services, settings, caller, catalog, limits, observers, app_pages)
    server: Server[Any] = Server(
        "citemark",
        version=__version__,
        title="Citemark",
        instructions=surface.instructions(),
        website_url=website_url(),
        icons=icons(),
        cache_hints={
            "server/discover": CacheHint(_FIVE_MINUTES_MS, "private"),  # it names the caller's sources
            "resources/templates/list": CacheHint(_HOUR_MS, "public"),
            "resources/list": CacheHint(_HOUR_MS, "public"),
            "prompts/list": CacheHint(_HOUR_MS, "public"),
        },
        get_tool_input_schema=surface.input_schema,
        on_list_tools=surface.list_tools,
        on_call_tool=surface.call_tool,
        on_list_resources=surface.list_resources,
        on_list_resource_templates=surface.list_templates,
        on_read_resource=surface.read_resource,
        on_list_prompts=surface.list_prompts,
        on_get_prompt=surface.get_prompt,
        # What other people are offered never changes, and each stream would occupy a connection of the server.
        on_subscriptions_listen=surface.listening if isinstance(caller, Caller) else None,
    )

    def rename() -> None:
        server.instructions = surface.instructions()

    catalog.on_sources(rename)
    return server


class _Surface:
    """The handlers of one server and what they share."""

    def __init__(
        self,
        services: ServicesProvider,
        settings: Settings,
        caller: Caller | CallerOf,
        catalog: ToolCatalog,
        limits: "CallLimits | None",
        observers: "Sequence[CallObserver]",
        app_pages: AppPages | None,
    ) -> None:
        self._calls = TimedCalls(services, settings.tool_timeout, limits)
        self._settings = settings
        self._spelling: Spelling = settings.tool_names
        self._caller_or_getter = caller
        self._observers = observers
        self._app_pages = app_pages
        self._packer = ReplyPacker(structured=settings.structured_output_enabled)
        self._catalog = catalog
        self._changes = InMemorySubscriptionBus()
        self._listing_session: ServerSession | None = None
        self._declined = DeclinedSessions()
        self.listening = ListenHandler(self._changes)
        self.registry = self._registry()
        catalog.on_change(self._changed, self.listening.close)

    def _caller(self, context: ServerContext) -> Caller:
        return self._caller_or_getter if isinstance(self._caller_or_getter, Caller) else self._caller_or_getter(context)

    def _registry(self) -> Registry:
        tools = self._catalog.tools(self._settings)
        registry = Registry(tools, core=self._settings.tools == "core")
        left_out = registry.left_out(self._spelling, Principal.local())
        if left_out:
            _warn_unlisted(left_out)
        return registry

    def respelled(self, text: str) -> str:
        """A text with tool names spelled as they are listed."""
        return respell(text, self.registry.names, self._spelling)

    def instructions(self) -> str | None:
        """The instructions for clients that connect; they name sources only if the caller is the local user."""
        if not self._settings.kb_v2_enabled:
            return None
        is_local = isinstance(self._caller_or_getter, Caller) and self._caller_or_getter.principal == Principal.local()
        return self.respelled(instructions_for(self._catalog.sources if is_local else None))

    def input_schema(self, name: str) -> JsonSchema | None:
        """The argument schema of a tool that is currently offered, or None if there is no such tool."""
        return self.registry.input_schema(name)

    async def _changed(self) -> None:
        """Notify the clients that listed the tools that the list has changed, as their protocol version provides."""
        self.registry = self._registry()
        await self._changes.publish(ToolsListChanged())
        if self._listing_session is not None:
            await self._listing_session.send_tool_list_changed()

    async def list_tools(self, context: ServerContext, page: PageParams) -> types.ListToolsResult:
        """The tools that this session may call, as many as the list can hold; needs no services."""
        _only_page(page)
        if context.request is None:  # stdio: there is one client, which can be notified of changes
            self._listing_session = context.session
        principal = self._caller(context).principal
        tools = self.registry.listed(self._spelling, principal)
        if self._app_pages_for(context) is not None:
            found = [self.registry.find(wire.name, principal) for wire in tools]
            tools = [linked(wire, tool and tool.app) for wire, tool in zip(tools, found, strict=True)]
        return types.ListToolsResult(tools=tools, ttl_ms=_FIVE_MINUTES_MS, cache_scope="private")

    async def call_tool(
        self, context: ServerContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Check the arguments, run the tool within its deadline, and return its result or an error envelope."""
        caller = self._caller(context)
        tool = self.registry.find(params.name, caller.principal)
        began = time.monotonic()
        if tool is None:
            self._seen_refusal(caller, None, began)
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown tool", data={"tool": params.name[:64]})
        try:
            result = await self._answered(tool, caller, context, params)
        except MCPError:
            self._seen_refusal(caller, tool, began)
            raise
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:  # the SDK adds the whole of it to every result
            result = result.model_copy(update={"meta": {**(result.meta or {}), types.SERVER_INFO_META_KEY: BRIEF}})
        if self._observers:
            from citemark.tools.seen_calls import seen_call  # noqa: PLC0415 - not before the first call

            seconds = time.monotonic() - began
            self._observe(seen_call(caller.principal.key, tool.name, params.arguments, result, seconds))
        return result

    def _seen_refusal(self, caller: Caller, tool: Tool | None, began: float) -> None:
        """Report a call that has no result; `tool` is None if there is none of that name for the caller."""
        if self._observers:
            from citemark.tools.seen_calls import refused_call  # noqa: PLC0415 - as above

            name = None if tool is None else tool.name
            self._observe(refused_call(caller.principal.key, name, time.monotonic() - began))

    def _observe(self, seen: "SeenCall") -> None:
        for observe in self._observers:
            observe(seen)

    async def _answered(
        self, tool: Tool, caller: Caller, context: ServerContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            packed = await self._run(tool, caller, context, params)
        except AnotherRound as round_:
            return round_.result
        except StateRefused:
            raise _state_refused() from None
        except CitemarkError as error:
            return self._failure(body_of(error, caller.principal))
        except Exception as error:  # noqa: BLE001 - the boundary: a crash must not end the connection
            return self._failure(body_of_crash(error, tool.name))
        return _result(packed)

    async def list_resources(self, context: ServerContext, page: PageParams) -> types.ListResourcesResult:
        """List the playbook. Passages are never listed, because the list must be the same for every connection."""
        _ = context
        _only_page(page)
        return types.ListResourcesResult(
            resources=[playbook(self.registry.names, self._spelling)] if self._settings.kb_v2_enabled else []
        )

    async def list_templates(self, context: ServerContext, page: PageParams) -> types.ListResourceTemplatesResult:
        """List the URI templates of passages and of the schemas of results."""
        _ = context
        _only_page(page)
        return types.ListResourceTemplatesResult(resource_templates=[scratch_template(), schema_template()])

    async def read_resource(
        self, context: ServerContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read the playbook, the schema of a result, the page of an app, or a passage of this session."""
        caller = self._caller(context)
        if READ not in caller.principal.scopes:
            raise MCPError(code=types.INVALID_REQUEST, message=f"This needs the scope {READ}")
        began = time.monotonic()
        uri = str(params.uri)
        if uri == PLAYBOOK_URI and self._settings.kb_v2_enabled:
            text = playbook_text(self.registry.names, self._spelling)
            contents = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
            return types.ReadResourceResult(contents=[contents], ttl_ms=_HOUR_MS, cache_scope="private")
        if (schema := schema_text(self.registry, caller.principal, uri)) is not None:
            return types.ReadResourceResult(contents=[schema], ttl_ms=_HOUR_MS, cache_scope="public")
        pages = self._app_pages_for(context)
        if pages is not None and (page := page_of_app(pages, self.registry.apps, uri)) is not None:
            return types.ReadResourceResult(contents=[page], ttl_ms=_HOUR_MS, cache_scope="private")
        try:
            contents = await self._calls.run(caller, lambda opened: scratch_text(opened, caller, uri))
        except CitemarkError as error:
            self._seen_read(caller, error.code, 0, began)
            code = types.INVALID_PARAMS if error.code in _CALLERS_FAULT else types.INTERNAL_ERROR
            message = f"{error.code}: {for_reader(error.message, caller.principal)}"
            raise MCPError(code=code, message=message) from error
        except MCPError:
            self._seen_read(caller, "INVALID_ARGUMENT", 0, began)
            raise
        self._seen_read(caller, "ok", len(contents.text.encode()), began)
        return types.ReadResourceResult(contents=[contents], ttl_ms=0, cache_scope="private")

    def _seen_read(self, caller: Caller, outcome: str, size: int, began: float) -> None:
        if self._observers:
            from citemark.tools.seen_calls import READ_RESOURCE, SeenCall  # noqa: PLC0415 - as above

            self._observe(SeenCall(caller.principal.key, READ_RESOURCE, outcome, size, time.monotonic() - began))

    async def list_prompts(self, context: ServerContext, page: PageParams) -> types.ListPromptsResult:
        """List the prompts whose tools exist."""
        _ = context
        _only_page(page)
        return types.ListPromptsResult(prompts=[prompt.wire() for prompt in self._catalog.prompts(self.registry.names)])

    async def get_prompt(self, context: ServerContext, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """A prompt in which tool names are spelled as they are listed."""
        _ = context
        prompt = next((each for each in self._catalog.prompts(self.registry.names) if each.name == params.name), None)
        if prompt is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown prompt", data={"prompt": params.name[:64]})
        try:
            return prompt.filled(params.arguments or {}, self.registry.names, self._spelling)
        except CitemarkError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=error.message, data=error.details) from error

    def _app_pages_for(self, context: ServerContext) -> AppPages | None:
        """What renders apps for the client of a request; None if it shows none."""
        return self._app_pages if shows_apps(context.session.client_capabilities) else None

    async def _run(
        self, tool: Tool, caller: Caller, context: ServerContext, params: types.CallToolRequestParams
    ) -> PackedReply:
        arguments = parse_arguments(tool.takes, params.arguments)
        settings, fits, pages = self._settings, self._packer.fits, self._app_pages_for(context)
        adds_phrasings = settings.rephrase and wants_phrasings(arguments)
        model = None
        if tool.generates or adds_phrasings:
            binding = Binding.of(caller.principal.key, tool.name, params.arguments)
            model = CallersModel(context, params, binding, settings.tool_timeout, self._declined)
        elif params.request_state is not None:
            raise StateRefused

        async def run_tool(opened: Services) -> PackedReply:
            rephrasing = opened.optional(REPHRASING) if adds_phrasings else None
            call = ToolCall(opened, caller, settings, fits, model)

            async def make_reply() -> ToolReply:
                if rephrasing is not None:
                    phrased = await with_phrasings(rephrasing, caller, arguments, model)
                    return phrased.noted(await tool.handle(phrased.narrowed(call), phrased.asked))
                return await tool.handle(call, arguments)

            reply, files = await asyncio.gather(make_reply(), opened.catalog.local_files(caller))
            if context.protocol_version < _FIRST_WITH_LINKS:
                reply = replace(reply, links=())
            packed = await anyio.to_thread.run_sync(self._packer.pack_with_files, reply, files)
            if tool.app is None or pages is None:
                return packed
            return self._packer.with_fragment(packed, await fragment_of(pages, tool.app, call, reply.out))

        # Time for models comes on top of what the server itself may take: the client's model, then the provider's.
        rounds = 2 * (tool.generates + adds_phrasings)
        return await self._calls.run(caller, run_tool, more=rounds * settings.tool_timeout)

    def _failure(self, body: ErrorBody) -> types.CallToolResult:
        envelope = Revealer().data({"error": body.model_dump(mode="json")})
        if not self._settings.structured_output_enabled:
            return types.CallToolResult(content=[types.TextContent(text=minified(envelope))], is_error=True)
        text = types.TextContent(text=f"{body.code}: {one_line(body.message)}")
        return types.CallToolResult(content=[text], structured_content=envelope, is_error=True)


def _state_refused() -> MCPError:
    """The error for a request state that does not belong to this call; the reason is not disclosed."""
    data = {"reason": "invalid_request_state"}
    return MCPError(code=types.INVALID_PARAMS, message="Invalid or expired requestState", data=data)


def _only_page(page: PageParams) -> None:
    """Refuse any cursor: every list is a single page, so no cursor can be valid."""
    if page is not None and page.cursor is not None:
        raise MCPError(code=types.INVALID_PARAMS, message="Invalid cursor", data={"cursor": page.cursor[:64]})


def _result(packed: PackedReply) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=packed.text), *map(_wire_link, packed.links)]
    meta = None if packed.fragment is None else {FRAGMENT: packed.fragment}
    return types.CallToolResult(content=content, structured_content=packed.structured, _meta=meta)


def _wire_link(link: Link) -> types.ResourceLink:
    match link:
        case PassageLink():
            seen_by = types.Annotations(audience=["assistant"], priority=0.1, last_modified=link.last_modified)
            return types.ResourceLink(
                uri=link.uri, name=link.name, mime_type="text/plain", size=link.size, annotations=seen_by
            )
        case DocumentLink():
            return types.ResourceLink(uri=link.uri, name=link.name)
        case _:
            assert_never(link)


def _warn_unlisted(left_out: tuple[str, ...]) -> None:
    """Log the tools that do not fit the list; nothing else would explain why they are missing."""
    import structlog  # noqa: PLC0415 - costs a third of a second, which a start whose tools all fit need not pay

    structlog.get_logger(__name__).warning(
        "the list of tools is full; these can be called but are not listed", tools=list(left_out), action="list_tools"
    )
