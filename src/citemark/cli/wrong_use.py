"""The exception for a malformed command line."""

from typing import cast

import typer

WRONG_USE = cast("type[typer.BadParameter]", typer.BadParameter.__bases__[0])
"""Its base class, whose message is shown as it is; typer does not export it under one name in all of its versions."""
