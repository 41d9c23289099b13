"""Resources and prompts that the conformance suite calls by name."""

import json

import mcp_types as types
from mcp.shared.exceptions import MCPError
from tests.conformance.fixture_requests import NAME, PIXEL, Context, Page, Rounds, content_of, embedded, form


class Pages:
    """Their handlers, and those of what is only acknowledged."""

    def __init__(self, rounds: Rounds) -> None:
        self._rounds = rounds

    async def list_resources(self, context: Context, params: Page) -> types.ListResourcesResult:
        """Those without a parameter."""
        names = ("static-text", "static-binary", "watched-resource")
        return types.ListResourcesResult(
            resources=[types.Resource(uri=f"test://{name}", name=name) for name in names],
            ttl_ms=1000,
            cache_scope="private",
        )

    async def list_templates(self, context: Context, params: Page) -> types.ListResourceTemplatesResult:
        """The one with a parameter."""
        template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
        return types.ListResourceTemplatesResult(resource_templates=[template], ttl_ms=1000, cache_scope="private")

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """The resource of an address."""
        uri = str(params.uri)
        told: types.TextResourceContents | types.BlobResourceContents
        match uri.removeprefix("test://").split("/"):
            case ["static-text"]:
                text = "This is the content of the static text resource."
                told = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
            case ["watched-resource"]:
                told = types.TextResourceContents(uri=uri, mime_type="text/plain", text="Watched resource content")
            case ["static-binary"]:
                told = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
            case ["template", ident, "data"]:
                said = json.dumps({"id": ident, "templateTest": True, "data": f"Data for ID: {ident}"})
                told = types.TextResourceContents(uri=uri, mime_type="application/json", text=said)
            case _:
                raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
        return types.ReadResourceResult(contents=[told], ttl_ms=0, cache_scope="private")

    async def list_prompts(self, context: Context, params: Page) -> types.ListPromptsResult:
        """Every prompt of the suite."""
        arguments = {
            "test_simple_prompt": (),
            "test_prompt_with_arguments": ("arg1", "arg2"),
            "test_prompt_with_embedded_resource": ("resourceUri",),
            "test_prompt_with_image": (),
            "test_input_required_result_prompt": (),
        }
        prompts = [
            types.Prompt(
                name=name,
                description="Of the suite.",
                arguments=[types.PromptArgument(name=each, description="Any.", required=True) for each in names],
            )
            for name, names in arguments.items()
        ]
        return types.ListPromptsResult(prompts=prompts, ttl_ms=1000, cache_scope="private")

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """The prompt of a name."""
        given = params.arguments or {}
        told: list[types.ContentBlock]
        match params.name:
            case "test_simple_prompt":
                told = [types.TextContent(text="This is a simple prompt for testing.")]
            case "test_prompt_with_arguments":
                said = f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
                told = [types.TextContent(text=said)]
            case "test_prompt_with_embedded_resource":
                uri = given.get("resourceUri", "test://none")
                told = [embedded(uri, "Embedded resource content for testing."), types.TextContent(text="Use it.")]
            case "test_prompt_with_image":
                told = [types.ImageContent(data=PIXEL, mime_type="image/png"), types.TextContent(text="Look at it.")]
            case "test_input_required_result_prompt":
                asked = self._rounds.once(params, {"user_context": form("What context should it use?", context=NAME)})
                if asked is not None:
                    return asked
                told = [types.TextContent(text=str(content_of(params, "user_context").get("context")))]
            case _:
                raise MCPError(code=types.INVALID_PARAMS, message="Unknown prompt")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in told])

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Nothing to complete."""
        return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))

    async def done(self, context: Context, params: object) -> types.EmptyResult:
        """What is only acknowledged."""
        return types.EmptyResult()
