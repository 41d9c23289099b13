"""How this Citemark was installed, and the commands that take packages in or remove the program."""

import os
import sys
from pathlib import Path
from typing import Literal

from citemark.cli.install.server_entry import own_command
from citemark.model.errors import ConfigurationError

_Installer = Literal["uvx", "uv tool", "pipx", "pip"]


_REMOVE = {"uvx": "uv cache clean citemark", "uv tool": "uv tool uninstall citemark", "pipx": "pipx uninstall citemark"}


def remove_command() -> str:
    """The command that removes the program."""
    return _REMOVE.get(_installer()) or f"{_python()} -m pip uninstall citemark citemark-minilm"


def add_command(extra: str, package: str) -> str:
    """The command that installs one of Citemark's extras, which consists of one package."""
    installer = _installer()
    if installer == "pipx":
        return f"pipx inject citemark {package}"
    named = f'"citemark[{extra}]"'
    return f"{_python()} -m pip install {named}" if installer == "pip" else f"uv tool install {named}"


def _installer() -> _Installer:
    try:
        command = own_command()
    except ConfigurationError:  # it runs within another program
        return "pip"
    path = os.path.realpath(command[0])
    if len(command) > 1:
        return "uvx"
    if f"{os.sep}uv{os.sep}tools{os.sep}" in path:
        return "uv tool"
    return "pipx" if f"{os.sep}pipx{os.sep}" in path else "pip"


def _python() -> Path:
    return Path(sys.executable).parent / "python"
