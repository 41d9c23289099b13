"""What the fixtures of the conformance suite say and ask, and how they ask in rounds."""

from typing import Any, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from citemark.tools.request_state import RequestStateCodec

Context: TypeAlias = ServerRequestContext[Any, Any]
Call: TypeAlias = types.CallToolRequestParams
Page: TypeAlias = types.PaginatedRequestParams | None
Given: TypeAlias = dict[str, Any]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
NO_ARGUMENTS: Given = {"type": "object", "properties": {}, "additionalProperties": False}
PAUSE = 0.02
"""Seconds between two notifications, so that they are seen apart."""


def text_result(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)])


def embedded(uri: str, text: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def form(message: str, **properties: Given) -> types.ElicitRequest:
    schema: Given = {"type": "object", "properties": properties, "required": list(properties)}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def completion_of(question: str, max_tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=question))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


NAME: Given = {"type": "string"}
WHO = form("What is your name?", name=NAME)
CAPITAL = completion_of("What is the capital of France?", 100)
ROOTS = types.ListRootsRequest()

DEFAULTS: Given = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_TITLED = [{"const": f"value{number}", "title": title} for number, title in ((1, "First"), (2, "Second"), (3, "Third"))]
_PLAIN = ["option1", "option2", "option3"]
ENUMS: Given = {
    "untitledSingle": {"type": "string", "enum": _PLAIN},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}


JSON_SCHEMA: Given = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def content_of(params: types.InputResponseRequestParams, key: str) -> Given:
    """What a form brought; an answer that is no form is the caller's mistake."""
    answer = (params.input_responses or {}).get(key)
    if answer is None:
        return {}
    if not isinstance(answer, types.ElicitResult):
        raise MCPError(code=types.INVALID_PARAMS, message=f"inputResponses: {key} is no answer to a form")
    return dict(answer.content or {})


class Rounds:
    """Asks until all is answered under the state that went out with the question."""

    def __init__(self) -> None:
        self._codec = RequestStateCodec(bytes(32))

    def once(self, params: Any, asked: dict[str, Any], state: str | None = None) -> types.InputRequiredResult | None:
        """The question, until all of it is answered under the state that went out with it."""
        if (state is None or self.state_of(params) == state) and asked.keys() <= (params.input_responses or {}).keys():
            return None
        return self.round_of(asked, state)

    def round_of(self, asked: dict[str, Any], state: str | None) -> types.InputRequiredResult:
        sealed = None if state is None else self._codec.seal(state.encode())
        return types.InputRequiredResult(input_requests=asked, request_state=sealed)

    def state_of(self, params: Any) -> str | None:
        if params.request_state is None:
            return None
        opened = self._codec.unseal(params.request_state)
        if opened is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Invalid or expired requestState")
        return opened.decode()
