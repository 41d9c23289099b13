"""What a reasoning model thinks before it answers, written into its answer: taken out before anything is checked.

Servers that know a model put its reasoning into a field of its own; the others pass it on between tags (DeepSeek R1,
Qwen, QwQ, Kimi and many that were trained after them).
"""

import re

_TAGS = r"(?:think|thinking|thought|reasoning|reflection)"
_OPEN = rf"(?:<{_TAGS}>|◁think▷|\[THINK\])"
_CLOSE = rf"(?:</{_TAGS}>|◁/think▷|\[/THINK\])"
_BLOCK = re.compile(rf"^[ \t]*{_OPEN}.*?(?:{_CLOSE}[ \t]*\n?|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE)
"""A block begins a line, so that an answer about such tags keeps them; one that is not closed was cut off."""

_HEADLESS = re.compile(rf"\A(?:(?!{_OPEN}).)*?^[ \t]*{_CLOSE}[ \t]*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
"""A block whose opening tag the server's template had written into the question."""


def without_reasoning(text: str) -> str:
    """The answer proper: empty where a model wrote nothing but its reasoning."""
    return _BLOCK.sub("", _HEADLESS.sub("", text, count=1)).strip()
