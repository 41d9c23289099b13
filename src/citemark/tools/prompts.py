"""Prompts that a user picks in their host: what one consists of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mcp_types as types

from citemark.evidence.budget import bytes_len
from citemark.results.shape import Strict
from citemark.text.escaping import one_line
from citemark.tools.arguments import parse_arguments
from citemark.tools.index_contents import NamedSource
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


def _question(arguments: Mapping[str, str]) -> str:
    return parse_arguments(_Answer, arguments).question


def _element(arguments: Mapping[str, str]) -> str:
    return one_line(parse_arguments(_Impact, arguments).element)


def _states(arguments: Mapping[str, str]) -> str:
    states = parse_arguments(_Changed, arguments)
    return f"from {one_line(states.before)} to {one_line(states.after)}"


_PROMPTS: tuple[FilledPrompt, ...] = (
    FilledPrompt(
        name="answer_with_evidence",
        title="Answer with evidence",
        description="Answers a question from the documents only, with a citation after each statement.",
        text=_ANSWER,
        arguments=(PromptArgument("question", "What you want to know."),),
        ending=_question,
        needs=("kb.retrieve_evidence",),
    ),
    FilledPrompt(
        name="what_changed",
        title="What changed",
        description="Tells what changed in the documents between two states, cited before and after.",
        text=_CHANGED,
        arguments=(
            PromptArgument("from", "A baseline, or a moment in ISO 8601."),
            PromptArgument("to", "The same; now without it.", required=False),
        ),
        ending=_states,
        needs=("kb.diff",),
    ),
    FilledPrompt(
        name="impact_of_change",
        title="Impact of a change",
        description="Tells what depends on an element, and which texts mention any of that, with paths and citations.",
        text=_IMPACT,
        arguments=(PromptArgument("element", "Name or id of an element of an architecture model."),),
        ending=_element,
        needs=("architecture.searchElements", "graph.expand"),
    ),
)


def prompts_for(names: Collection[str]) -> list[FilledPrompt]:
    """The prompts whose tools exist."""
    return [prompt for prompt in _PROMPTS if set(prompt.needs) <= set(names)]


_MOST_BYTES = 600
"""What the instructions weigh at most: hosts put them before every conversation."""

_USE = (
    "Verbatim, cited evidence from indexed documents. Call kb.retrieve_evidence first, with the question and, in also, "
    "two or three phrasings in the words and languages of the documents; a guessed value may stand in one, never in "
    "your answer. If little comes back, ask again in the documents' own terms; empty_message says what could not be "
    "looked at. Quote with the citations. citemark://playbook explains the other tools."
)
_LONGEST_NAME = 60
"""Maximum characters of a source's name. People choose the names; longer ones are cut."""

_MOST_LANGUAGES = 3
"""Maximum number of languages named per source; the rest are summed up as "others"."""


def instructions_for(sources: Sequence[NamedSource] | None) -> str:
    """The instructions, in which tool names are spelled with dots; they name as many sources as they have room for.

    Args:
        sources: the caller's sources; None if they are not known (yet) or must not be named.
    """
    if sources is None:
        return _USE
    if not sources:
        return f"{_USE} There are no sources yet: `citemark add FOLDER` adds one."
    texts = [_source_text(source) for source in sources]
    fitting = (_naming(texts, number) for number in range(len(texts), 0, -1))
    return next((named for named in fitting if bytes_len(named) <= _MOST_BYTES), _naming(texts, 0))


def _naming(texts: Sequence[str], number: int) -> str:
    """The instructions with the first `number` sources, and how many there are besides."""
    rest = len(texts) - number
    named = [
        *texts[:number],
        *([f"{'and ' if number else ''}{rest} {'more' if number else 'of them'}"] if rest else []),
    ]
    return f"{_USE} Sources: {'; '.join(named)}. kb.list_sources tells more."


def _source_text(source: NamedSource) -> str:
    name = one_line(source.name)
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    languages = [language.capitalize() for language in source.languages[:_MOST_LANGUAGES]]
    if len(source.languages) > _MOST_LANGUAGES:
        languages.append("others")
    return f"{name} ({source.kind}{', in ' if languages else ''}{', '.join(languages)})"
