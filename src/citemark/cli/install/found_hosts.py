"""The hosts of this machine, and whether they have Citemark."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citemark.cli.install.config_document import document_of
from citemark.cli.install.config_file import ConfigFile
from citemark.cli.install.hosts import HOSTS, Host, Surroundings
from citemark.cli.install.server_entry import is_our_address, is_ours
from citemark.model.errors import CitemarkError


@dataclass(frozen=True, slots=True)
class FoundHost:
    """A host with its configuration, the names of Citemark's entries in it and the programs that they start.

    `wrong` says why the configuration cannot be read.
    """

    host: Host
    config: Path
    names: Sequence[str] = ()
    programs: Sequence[str] = ()
    wrong: str = ""


def surroundings() -> Surroundings:
    """Those of this process."""
    return Surroundings(sys.platform, Path.home(), os.environ, Path.cwd())


def found_hosts(here: Surroundings | None = None) -> list[FoundHost]:
    """The hosts that this machine has, in the order in which they are known."""
    place = here or surroundings()
    return [_looked_into(host, host.config(place)) for host in HOSTS if host.is_there(place)]


def _looked_into(host: Host, config: Path) -> FoundHost:
    try:
        document = document_of(host, ConfigFile.read(config).text)
    except CitemarkError as error:
        return FoundHost(host, config, wrong=error.message)
    ours = [
        name
        for name, entry in document.entries().items()
        if is_ours(entry, host.shape) or is_our_address(entry, host.shape)
    ]
    started = [host.shape.command_of(document.entries()[name]) for name in ours]
    return FoundHost(host, config, ours, [each[0] for each in started if each is not None])
