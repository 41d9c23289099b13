"""What systemd and launchd are told about `citemark serve --http`."""

import plistlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NAME = "citemark"
LABEL = "io.github.citemark.serve"

_HARDENED = (
    "UMask=0077",
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "RestrictNamespaces=net user",  # parsers of files run without a network
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "SystemCallArchitectures=native",
)
"""What a manager of one user can enforce too."""

_HARDENED_BY_THE_SYSTEM = (
    "ProtectSystem=strict",
    "ProtectHome=read-only",
    "ProtectKernelTunables=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelLogs=yes",
    "ProtectControlGroups=yes",
    "ProtectClock=yes",
    "ProtectHostname=yes",
    "PrivateDevices=yes",
    "CapabilityBoundingSet=",
)


@dataclass(frozen=True, slots=True)
class Service:
    """What is run.

    Attributes:
        command: the program and its arguments.
        environment: the settings of this index.
        folder: the index's folder, the only one that is written to.
        account: the account of a system's service; None for a user's own.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    account: str | None = None


def systemd_unit(service: Service) -> str:
    """The unit of a user, or of the system if the service has an account."""
    system = service.account is not None
    lines = [
        "[Unit]",
        "Description=Citemark, cited retrieval over documents for the clients of this machine",
        *(["After=network-online.target", "Wants=network-online.target"] if system else []),
        "",
        "[Service]",
        "Type=exec",
        f"ExecStart={_command(service.command)}",
        *(f"Environment={_escaped(f'{name}={value}')}" for name, value in service.environment.items()),
        *([f"User={service.account}"] if system else []),
        "Restart=on-failure",
        "RestartSec=5",
        "TimeoutStopSec=20",
        *_HARDENED,
        *([*_HARDENED_BY_THE_SYSTEM, f"ReadWritePaths={_escaped(str(service.folder))}"] if system else []),
        "",
        "[Install]",
        f"WantedBy={'multi-user' if system else 'default'}.target",
    ]
    return "\n".join(lines) + "\n"


def launchd_agent(service: Service, log: Path) -> str:
    """The agent of a user on macOS."""
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": list(service.command),
            "EnvironmentVariables": dict(service.environment),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ProcessType": "Background",
            "Umask": 0o077,
            "StandardErrorPath": str(log),
        },
        sort_keys=False,
    ).decode()


def _command(words: Sequence[str]) -> str:
    """A command line. Variables are replaced in arguments, and not in the path of the program."""
    program, *arguments = map(_escaped, words)
    return " ".join([program, *(argument.replace("$", "$$") for argument in arguments)])


def _escaped(text: str) -> str:
    """A text as a unit has it, without the specifiers that systemd would replace."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    return f'"{escaped}"'
