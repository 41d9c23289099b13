"""`citemark eval`: golden questions over the index, or a test collection of its own."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from citemark.cli.command_context import CommandContext
from citemark.cli.measured_file import MeasuredFile, Report
from citemark.model.errors import InvalidArgument
from citemark.services.app_context import AppContext


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where a report goes besides the terminal (an HTML page), and an earlier run to compare it with."""

    html: Path | None = None
    against: Path | None = None

    def check(self) -> None:
        """Fail before anything is measured, not after.

        Raises:
            InvalidArgument: the earlier run cannot be read, or the page cannot be written there.
        """
        if self.against is not None:
            from citemark.evaluation.comparison import read_run  # noqa: PLC0415

            read_run(self.against)
        if self.html is not None and not self.html.absolute().parent.is_dir():
            raise InvalidArgument(f"There is no folder for the page {self.html}.")

    def show(self, run: CommandContext, report: Report, name: str) -> None:
        """Print the report, with the comparison, and write the page."""
        result, text = report.as_dict(), report.render()
        if self.html is None and self.against is None:
            run.show(result, text)
            return
        from citemark.evaluation.comparison import (  # noqa: PLC0415
            SavedRun,
            compare,
            read_run,
        )

        now = SavedRun.model_validate(result)
        comparison = None if self.against is None else compare(read_run(self.against), now)
        if comparison is not None:
            result["comparison"] = comparison.as_dict()
            text = f"{text}\n\n{comparison.render()}"
        if self.html is not None:
            from citemark.evaluation.html_page import html_page  # noqa: PLC0415

            try:
                self.html.write_text(html_page(now, name, comparison), "utf-8")
            except OSError as error:
                raise InvalidArgument(f"The page {self.html} cannot be written: {error.strerror}.") from None
            text = f"{text}\n\nThe report is in {self.html}."
        run.show(result, text)


def eval_command(
    run: CommandContext,
    path: Path,
    outlet: Outlet,
    *,
    fresh: bool,
    phrasings: Path | None = None,
    kinds: Iterable[MeasuredFile] = (),
) -> int:
    """Measure, print the report, and return the exit code; `kinds` are those besides files of questions."""
    try:
        outlet.check()
    except InvalidArgument as error:
        return run.fail(error)
    if phrasings is not None and (path.is_dir() or not path.is_file()):
        return run.fail(InvalidArgument("--phrasings is for a file of golden questions."))
    if path.is_dir():
        return _beir(run, path, outlet, fresh=fresh)
    if not path.is_file():
        return run.fail(InvalidArgument(f"There is no file or folder {path}."))
    kind = next((each for each in kinds if each.holds(path)), None)
    return _golden(run, path, outlet, phrasings) if kind is None else _measured(run, path, outlet, kind)


def _measured(run: CommandContext, path: Path, outlet: Outlet, kind: MeasuredFile) -> int:
    if outlet.html is not None or outlet.against is not None:
        return run.fail(InvalidArgument(kind.refusal))
    try:
        report = kind.measure(path)
    except InvalidArgument as error:
        return run.fail(error)
    run.show(report.as_dict(), report.render())
    return 0


def _golden(run: CommandContext, path: Path, outlet: Outlet, phrasings: Path | None) -> int:
    from citemark.evaluation.golden_run import run_golden  # noqa: PLC0415

    async def command(_: CommandContext, app: AppContext) -> int:
        outlet.show(run, await run_golden(app, path, phrasings), path.name)
        return 0

    return run.attempt(command)


def _beir(run: CommandContext, folder: Path, outlet: Outlet, *, fresh: bool) -> int:
    from citemark.evaluation.beir import run_beir  # noqa: PLC0415
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
        outlet.show(run, report, folder.name)
    except CitemarkError as error:
        return run.fail(error)
    return 0
