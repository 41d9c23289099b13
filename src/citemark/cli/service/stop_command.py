"""`citemark stop`: end the servers of this index that nobody else ends."""

from collections.abc import Sequence
from pathlib import Path

import psutil

from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.counting import counted
from citemark.cli.service.running import Running, running_on
from citemark.folders import data_dir
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.settings import load_settings

_SECONDS = 15.0
"""A server forces its own end four seconds after the signal, and the database needs some more."""


def stop_command(run: CommandContext, *, everything: bool) -> int:
    """Stop the servers that stay; with `everything`, also those that hosts and people have started."""
    try:
        settings = load_settings()
        if settings.database_url is not None:
            raise InvalidArgument(
                "The database is elsewhere, and who uses it is not known here; end the processes there."
            )
        folder = data_dir(settings.data_dir)
    except CitemarkError as error:
        return run.fail(error)
    stopped, left, others = stop(folder, everything=everything)
    lines = [f"Stopped: {each.text}" for each in stopped]
    lines += [f"Still running: {each.text}" for each in left]
    if others:
        hint = "their hosts end them, and `citemark stop --all` does"
        lines.append(f"{counted(len(others), 'process', 'processes')} of hosts and commands use the index; {hint}.")
    data = {"stopped": _data(stopped), "running": _data([*left, *others])}
    run.show(data, "\n".join(lines) or f"Nothing uses the index in {folder}.")
    return FAILED if left else 0


def stop(folder: Path, *, everything: bool) -> tuple[list[Running], list[Running], list[Running]]:
    """End processes on an index, and wait: those that ended, those that did not, and those that were let be."""
    found = running_on(folder)
    chosen = [each for each in found if everything or each.stays]
    processes: dict[psutil.Process, Running] = {}
    for each in chosen:
        try:
            process = psutil.Process(each.pid)
            process.terminate()
        except psutil.Error:
            continue
        processes[process] = each
    _, alive = psutil.wait_procs(list(processes), timeout=_SECONDS)
    left = [processes[process] for process in alive]
    return [each for each in chosen if each not in left], left, [each for each in found if each not in chosen]


def _data(processes: Sequence[Running]) -> list[dict[str, object]]:
    return [{"pid": each.pid, "command": list(each.words)} for each in processes]
