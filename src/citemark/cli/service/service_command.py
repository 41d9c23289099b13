"""`citemark service`: have systemd or launchd start `citemark serve --http`, and take that back."""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.install.server_entry import CORE, needed_environment, own_command, without_secrets
from citemark.cli.service.units import LABEL, NAME, Service, launchd_agent, systemd_unit
from citemark.folders import data_dir
from citemark.model.errors import BackendUnavailable, CitemarkError, InvalidArgument
from citemark.settings import load_settings
from citemark.settings_files import settings_files

_MODE = 0o600
"""A unit holds the environment, in which keys may be."""

_BOOTED = Path("/run/systemd/system")
"""There if systemd runs this machine."""


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """The arguments of `citemark service install`."""

    port: int
    account: str | None = None
    """The account of a service of the system; None for one of this user."""
    only_print: bool = False
    yes: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a service is written, and the commands that start and stop it."""

    file: Path
    starting: Sequence[Sequence[str]]
    stopping: Sequence[Sequence[str]]
    works: bool
    """Whether these commands can be run here."""


def service_file(*, system: bool = False) -> Path:
    """The file of the service."""
    return _place(system=system).file


def install_service(run: CommandContext, request: ServiceRequest) -> int:
    """Write the service, and start it where that is possible; the exit code is 1 if that was declined or failed."""
    try:
        place = _place(system=request.account is not None)
        text = _text(request)
        shown = without_secrets(text)
        if request.only_print:
            run.show({"file": str(place.file), "text": shown}, shown.rstrip())
            return 0
        if not run.json:
            run.show({}, f"{place.file}\n\n{shown}")
        if not request.yes and not _agreed("Write this and start it? [y/N] ", run):
            sys.stderr.write("Nothing was written; --yes writes without asking.\n")
            return FAILED
        _write(place.file, text)
        return _told(run, place, place.starting, "is written", "started")
    except CitemarkError as error:
        return run.fail(error)


def remove_service(run: CommandContext, *, system: bool) -> int:
    """Stop the service and remove its file."""
    try:
        place = _place(system=system)
        if not place.file.exists():
            run.show({"file": str(place.file), "removed": False}, f"There is no service: {place.file} does not exist.")
            return 0
        failed = _run(place.stopping) if place.works else ""
        place.file.unlink()
    except OSError as error:
        return run.fail(BackendUnavailable(f"The service cannot be removed: {error.strerror}."))
    except CitemarkError as error:
        return run.fail(error)
    note = f" It could not be stopped: {failed}" if failed else ""
    run.show({"file": str(place.file), "removed": True}, f"{place.file} is removed.{note}")
    return 0


def _text(request: ServiceRequest) -> str:
    settings = load_settings()
    folder = data_dir(settings.data_dir)
    trusted = next((file.path for file in settings_files(os.environ, lambda _: None) if not file.own), None)
    at = folder if settings.database_url is None else None
    environment = {**CORE, **needed_environment(os.environ, Path.cwd(), at, trusted)}
    if request.account is not None:
        _check_account(request.account)
    command = [*own_command(), "serve", "--http", "--port", str(request.port)]
    service = Service(command, environment, folder, request.account)
    return launchd_agent(service, _log()) if _on_a_mac() else systemd_unit(service)


def _check_account(name: str) -> None:
    """Check the account of a service of the system.

    Raises:
        InvalidArgument: there is no such account, or it is root, which the database cannot be run by under protection.
    """
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        raise InvalidArgument(f"There is no account {name!r}; `useradd --system {name}` makes one.") from None
    if account.pw_uid == 0:
        raise InvalidArgument("The service needs an account other than root; name one with --system ACCOUNT.")


def _on_a_mac() -> bool:
    return sys.platform == "darwin"


def _log() -> Path:
    return Path.home() / "Library" / "Logs" / "citemark.log"


def _place(*, system: bool) -> _Place:
    if _on_a_mac():
        if system:
            raise InvalidArgument("On macOS the service is one of this user; leave --system out.")
        file = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        domain = f"gui/{os.getuid()}"
        starting = [["launchctl", "bootstrap", domain, str(file)]]
        return _Place(
            file, starting, [["launchctl", "bootout", f"{domain}/{LABEL}"]], shutil.which("launchctl") is not None
        )
    manager = ["systemctl"] if system else ["systemctl", "--user"]
    xdg = os.environ.get("XDG_CONFIG_HOME", "")
    own = (Path(xdg) if xdg.startswith("/") else Path.home() / ".config") / "systemd" / "user"
    file = (Path("/etc/systemd/system") if system else own) / f"{NAME}.service"
    works = shutil.which("systemctl") is not None and _BOOTED.is_dir()
    starting = [[*manager, "daemon-reload"], [*manager, "enable", "--now", NAME]]
    return _Place(file, starting, [[*manager, "disable", "--now", NAME]], works)


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f"{file.name}.new")
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
        new.replace(file)
    except OSError as error:
        raise BackendUnavailable(f"{file} cannot be written: {error.strerror}.") from None


def _told(run: CommandContext, place: _Place, commands: Sequence[Sequence[str]], what: str, done: str) -> int:
    """Run the commands, or say which would have to be run, and report."""
    lines = "\n".join(f"  {' '.join(command)}" for command in commands)
    failed = _run(commands) if place.works else ""
    if not place.works:
        text = f"{place.file} {what}. No service manager runs here; where one does, it is {done} by\n{lines}"
    elif failed:
        text = f"{place.file} {what}, and could not be {done}: {failed}\nTry it again with\n{lines}"
    else:
        text = f"{place.file} {what} and {done}. `citemark install HOST --bridge` leads a host to it."
    run.show({"file": str(place.file), "written": True, "started": place.works and not failed, "wrong": failed}, text)
    return FAILED if failed else 0


def _run(commands: Sequence[Sequence[str]]) -> str:
    """Run commands until one fails; returns what it said, or "" if none did."""
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode:
            return done.stderr.strip() or f"{' '.join(command)} exited with {done.returncode}"
    return ""


def _agreed(question: str, run: CommandContext) -> bool:
    return not run.json and sys.stdin.isatty() and input(question).strip().lower() in {"y", "yes"}
