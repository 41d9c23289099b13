"""What clients show of this server besides its name: where the project is, and an icon."""

from base64 import b64encode
from importlib.metadata import PackageNotFoundError, metadata
from importlib.resources import files

import mcp_types as types

from citemark import __version__

_PROJECT = "Repository"
"""The address in the package's metadata that leads to the project; its owner sets it in pyproject.toml."""


def website_url() -> str | None:
    """The address of the project, or None if the package is not installed and nothing knows it."""
    try:
        addresses = metadata("citemark").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    return next(
        (address for name, _, address in (each.partition(", ") for each in addresses) if name == _PROJECT), None
    )


def icons() -> list[types.Icon]:
    """The icon, in the message itself: no client asks a third party for it, and it is shown without a network."""
    svg = files("citemark.tools").joinpath("icon.svg").read_bytes().strip()
    source = f"data:image/svg+xml;base64,{b64encode(svg).decode()}"
    return [types.Icon(src=source, mime_type="image/svg+xml", sizes=["any"])]


BRIEF = {"name": "citemark", "version": __version__}
"""What the result of a call says about the server: an icon in each of them would cost more than most quotes."""
