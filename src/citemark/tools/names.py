"""How tool names are spelled: with dots, or with underscores for hosts that refuse dots."""

from typing import Literal

Spelling = Literal["dot", "underscore"]

_REFUSERS = ("claude-ai", "claude desktop", "claude-desktop", "copilot")
"""Parts of the names of clients that hand tool names unchanged to an API that takes only letters, digits, _ and -."""


def spelling_for(setting: Literal["auto", "dot", "underscore"], client: str | None) -> Spelling:
    """The spelling that a client is shown. `client` is the name it gives itself, None where it gives none."""
    if setting != "auto":
        return setting
    name = (client or "").lower()
    return "underscore" if any(part in name for part in _REFUSERS) else "dot"


def spell(name: str, spelling: Spelling) -> str:
    """`name`, which is written with dots, in a spelling."""
    return name.replace(".", "_") if spelling == "underscore" else name


def respell(text: str, names: tuple[str, ...], spelling: Spelling) -> str:
    """A text for models with every tool name in it as the client knows it."""
    for name in names:
        text = text.replace(name, spell(name, spelling))
    return text
