"""A progress bar for people, on stderr."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from citemark.indexing.indexer import Progress as Step


class Bar:
    """One line that shows the stage, how much is done and the time left."""

    def __init__(self) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description:<24}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task: TaskID | None = None
        self._stage = ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._progress.update(self._task, visible=True)
        self._progress.stop()

    def step(self, step: Step) -> None:
        """Show how far a sync has come."""
        if step.stage == "embedding":
            done, total, unit = step.vectors, step.vectors + step.vectors_waiting, "vectors"
        elif step.stage == "reading":
            done, total, unit = step.documents, step.documents + step.documents_waiting, "documents"
        else:
            done, total, unit = 0, None, ""
        if step.stage != self._stage or self._task is None:
            self._stage = step.stage
            self._task = self._progress.add_task(step.stage, total=total, unit=unit)
        self._progress.update(self._task, completed=done, total=total)
