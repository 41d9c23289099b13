"""Where an index and the user's settings are stored; importing this loads nothing that opens an index."""

import os
import sys
from pathlib import Path

from citemark.model.errors import ConfigurationError


def data_dir(chosen: Path | None) -> Path:
    """The folder of an index: the one that the settings name (`Settings.data_dir`), or the default one.

    Raises:
        ConfigurationError: no folder is set, and this user has no home folder.
    """
    return (chosen or default_data_dir()).expanduser().absolute()


def default_data_dir() -> Path:
    """The data folder if none is set; that of root is where an unprivileged server can reach it.

    Raises:
        ConfigurationError: this user has no home folder.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/citemark")
    try:
        home = Path.home()
    except RuntimeError:
        raise ConfigurationError(
            "This user has no home folder; set CITEMARK_DATA_DIR to a folder that it can write."
        ) from None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "citemark"
    xdg_folder = os.environ.get("XDG_DATA_HOME", "")
    base = Path(xdg_folder) if xdg_folder.startswith("/") else home / ".local" / "share"
    return base / "citemark"


def config_dir() -> Path | None:
    """The folder of the user's own settings, or None for a user without a home folder or XDG_CONFIG_HOME."""
    xdg_folder = os.environ.get("XDG_CONFIG_HOME", "")
    try:
        home = Path.home()
    except RuntimeError:
        return Path(xdg_folder) / "citemark" if xdg_folder.startswith("/") else None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "citemark"
    return (Path(xdg_folder) if xdg_folder.startswith("/") else home / ".config") / "citemark"


def socket_file(folder: Path) -> Path:
    """The Unix socket at which the HTTP server of an index answers bridges."""
    return folder / "http.sock"


def database_home(folder: Path) -> Path:
    """The part of an index's folder that belongs to its database."""
    return folder / "postgres"


def users_lock(folder: Path) -> Path:
    """The file that each process holds open while it uses the database of an index's folder."""
    return database_home(folder) / "users.lock"
