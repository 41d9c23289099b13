"""Models to play the client's, and a place with something to ask about."""

from dataclasses import dataclass, field, replace
from typing import Any

from mcp.client.session import ClientRequestContext
from mcp_types import (
    INTERNAL_ERROR,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ErrorData,
    ImageContent,
    TextContent,
)
from tests.integration.retrieval.world import World

from citemark.features.answers.declaration import ANSWERS_FEATURE
from citemark.model.clock import Clock, system_clock
from citemark.services.answer_keys import ANSWERS
from citemark.services.answers import AnswerService
from citemark.settings import Settings

QUESTION = "How is the feed pump primed before it starts?"
PAGES = {
    "pump.md": "# Feed pump\n\nThe feed pump must be primed with nine litres of water before it starts.\n",
    "valve.md": "# Valves\n\nThe relief valve of the feed pump opens at twelve bar.\n",
    "lamp.md": "# Lamps\n\nLamps are changed by the works electrician in March.\n",
}
GOOD = "The pump is primed with nine litres of water [1]."
Said = CreateMessageResult | CreateMessageResultWithTools | ErrorData


def text(words: str) -> CreateMessageResult:
    return CreateMessageResult(role="assistant", content=TextContent(text=words), model="fake-1", stop_reason="endTurn")


def image() -> CreateMessageResult:
    return CreateMessageResult(
        role="assistant", content=ImageContent(data="aGk=", mime_type="image/png"), model="fake-1"
    )


def declined() -> ErrorData:
    return ErrorData(code=INTERNAL_ERROR, message="the user said no: secret-4711")


@dataclass
class FakeModel:
    """Says one thing to whatever it is asked, and keeps what that was."""

    says: Said = field(default_factory=lambda: text(GOOD))
    asked: list[CreateMessageRequestParams] = field(default_factory=list[CreateMessageRequestParams])

    async def __call__(self, context: ClientRequestContext, params: CreateMessageRequestParams) -> Said:
        self.asked.append(params)
        return self.says

    @property
    def prompt(self) -> str:
        """The words of the last request."""
        content = self.asked[-1].messages[0].content
        assert isinstance(content, TextContent)
        return content.text


def answers_of(world: World, clock: Clock = system_clock, **settings: Any) -> AnswerService:
    """Answers over a world as the settings have it."""
    core = replace(world.core, settings=Settings(**settings), clock=clock)
    return ANSWERS_FEATURE.services[ANSWERS](core)
