"""`citemark eval`: golden questions over the index, or a test collection of its own."""

import asyncio
from pathlib import Path

from citemark.cli.run import CommandContext
from citemark.evidence.workplace import Workplace
from citemark.model.errors import InvalidArgument


def eval_command(run: CommandContext, path: Path, *, fresh: bool) -> int:
    """Measure, print, and answer with the exit code."""
    if path.is_dir():
        return _beir(run, path, fresh=fresh)
    if not path.is_file():
        return run.fail(InvalidArgument(f"There is no file or folder {path}."))
    return _golden(run, path)


def _golden(run: CommandContext, path: Path) -> int:
    from citemark.evaluation.runner import run_golden  # noqa: PLC0415

    async def command(_: CommandContext, app: Workplace) -> int:
        report = await run_golden(app, path)
        run.show(report.as_dict(), report.render())
        return 0

    return run.attempt(command)


def _beir(run: CommandContext, folder: Path, *, fresh: bool) -> int:
    from citemark.evaluation.collection import run_beir  # noqa: PLC0415
    from citemark.logs import configure_logs  # noqa: PLC0415
    from citemark.model.errors import CitemarkError  # noqa: PLC0415
    from citemark.settings import load_settings  # noqa: PLC0415

    try:
        settings = load_settings()
        configure_logs(settings.log_level)
        with run.progress() as bar:
            report = asyncio.run(
                run_beir(run.open_index, settings, folder, fresh=fresh, progress=None if bar is None else bar.step)
            )
    except CitemarkError as error:
        return run.fail(error)
    run.show(report.as_dict(), report.render())
    return 0
