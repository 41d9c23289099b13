"""How tool names are spelled: with underscores, or with dots as the founding documents write them."""

import re
from collections.abc import Collection
from typing import Literal

Spelling = Literal["underscore", "dot"]


def spelling_for(setting: Literal["auto", "dot", "underscore"]) -> Spelling:
    """The spelling in which tools are listed. `auto`, a setting of earlier releases, is read as `underscore`.

    The APIs of OpenAI and Anthropic refuse a whole request with a dotted tool name in it, and most client libraries
    hand names through unchanged, whatever the client calls itself.
    """
    return "dot" if setting == "dot" else "underscore"


def spell(name: str, spelling: Spelling) -> str:
    """`name`, which is written with dots, in a spelling."""
    return name.replace(".", "_") if spelling == "underscore" else name


_NAMED = re.compile(r"\b(?:(?:kb|architecture)\.\w+|nc_\w+)")
_BETWEEN_SENTENCES = re.compile(r"(?<=\.) ")


def without_missing(text: str, names: Collection[str]) -> str:
    """A text for models without the sentences about tools that there are not."""
    lines = (_BETWEEN_SENTENCES.split(line) for line in text.split("\n"))
    return "\n".join(" ".join(said for said in line if set(_NAMED.findall(said)) <= set(names)) for line in lines)


def respell(text: str, names: tuple[str, ...], spelling: Spelling) -> str:
    """A text for models with every tool name in it as the client knows it."""
    for name in names:
        text = text.replace(name, spell(name, spelling))
    return text
