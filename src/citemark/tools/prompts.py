"""Prompts that a user picks in their host: what one consists of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mcp_types as types

from citemark.tools.registry import Spelling, respell, without_missing


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """One argument of a prompt, which the user fills in."""

    name: str
    description: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """One prompt, which ends with what the user filled in. It is listed only if the tools that it `needs` exist."""

    name: str
    title: str
    description: str
    text: str
    arguments: tuple[PromptArgument, ...]
    ending: Callable[[Mapping[str, str]], str]
    needs: tuple[str, ...]

    def wire(self) -> types.Prompt:
        """The prompt's entry in the list of prompts."""
        arguments = [
            types.PromptArgument(name=argument.name, description=argument.description, required=argument.required)
            for argument in self.arguments
        ]
        return types.Prompt(name=self.name, title=self.title, description=self.description, arguments=arguments)

    def filled(self, arguments: Mapping[str, str], names: tuple[str, ...], spelling: Spelling) -> types.GetPromptResult:
        """The message for the model.

        Raises:
            InvalidArgument: an argument is missing or blank, or is not one that the prompt takes.
        """
        ending = self.ending(arguments)
        text = respell(without_missing(self.text, names), names, spelling) + ending
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=self.description, messages=[message])
