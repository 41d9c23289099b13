"""How tool names are spelled: with underscores, or with dots as the founding documents write them."""

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


def respell(text: str, names: tuple[str, ...], spelling: Spelling) -> str:
    """A text for models with every tool name in it as the client knows it."""
    for name in names:
        text = text.replace(name, spell(name, spelling))
    return text
