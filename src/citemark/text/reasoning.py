"""Removes what a reasoning model wrote before its answer."""

import re

_TAGS = r"(?:think|thinking|thought|reasoning|reflection)"
_OPEN = rf"(?:<{_TAGS}>|◁think▷|\[THINK\])"
_CLOSE = rf"(?:</{_TAGS}>|◁/think▷|\[/THINK\])"
_BLOCK = re.compile(rf"^[ \t]*{_OPEN}.*?(?:{_CLOSE}[ \t]*\n?|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE)
"""A block of reasoning; it begins a line, so that answers about such tags keep them. An unclosed one was cut off."""

_HEADLESS = re.compile(rf"\A(?:(?!{_OPEN}).)*?^[ \t]*{_CLOSE}[ \t]*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
"""A block of reasoning whose opening tag was written into the question by the server's template."""


def without_reasoning(text: str) -> str:
    """The answer itself; empty if the model wrote only its reasoning."""
    return _BLOCK.sub("", _HEADLESS.sub("", text, count=1)).strip()
