"""The server of the bundle: adds what its settings name, beside a `citemark serve` that speaks to the host."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

CITEMARK = str(Path(sys.executable).with_name("citemark"))
_SETTINGS = ("BUNDLED_FOLDER", "BUNDLED_NEXTCLOUD", "BUNDLED_USER", "CITEMARK_APP_PASSWORD")


def additions(settings: Mapping[str, str]) -> list[list[str]]:
    """The commands that add what the settings name; an unset one is empty, or still the host's placeholder."""
    folder, nextcloud, user, password = (
        "" if settings.get(name, "").startswith("${") else settings.get(name, "").strip() for name in _SETTINGS
    )
    commands = [["add", "docs", folder, "--no-sync"]] if folder else []
    if nextcloud and user and password:
        commands.append(["add", "nextcloud", nextcloud, "--user", user, "--no-sync", "--yes"])
    return commands


def main() -> None:
    """Start the additions, and become the server; it finds new sources while it runs."""
    for command in additions(os.environ):
        # A folder that was added before is refused, which changes nothing. stdout belongs to the protocol.
        subprocess.Popen([CITEMARK, *command], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    settings = {name: value for name, value in os.environ.items() if name not in _SETTINGS}
    os.execve(CITEMARK, [CITEMARK, "serve"], settings)  # noqa: S606 - the host speaks to this process


if __name__ == "__main__":
    main()
