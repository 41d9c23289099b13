"""A progress bar for people, on stderr."""

from collections.abc import Callable
from datetime import timedelta
from math import exp
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.text import Text

from citemark.indexing.sync import Progress as Step

_RATE_SECONDS = 30.0
"""Batches take unequal times; averaged over half a minute, the rate is steady."""

_SHOWN_SECONDS = 10.0
"""Time constant with which the displayed end approaches the estimated one, so that the figure does not jump."""

_LEAST_SECONDS = 2.0
"""No estimate is shown before this: the first batch says too little."""


class TimeLeft:
    """Estimates the end at each report and counts down to it smoothly.

    Rate and end are averages that weigh a report by its age, exponentially: see `_RATE_SECONDS` and `_SHOWN_SECONDS`.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started_at = self._noted_at = clock()
        self._done: int | None = None
        self._amount = 0.0
        self._time = 0.0
        self._end: float | None = None

    def note(self, done: int, waiting: int) -> None:
        """Process a report: how much has been done since the beginning, and how much still waits."""
        now = self._clock()
        if self._done is None:
            self._started_at = self._noted_at = now
            self._done = done
            return
        passed = now - self._noted_at
        if passed <= 0:
            return
        decay = exp(-passed / _RATE_SECONDS)
        self._amount = self._amount * decay + max(0, done - self._done)
        self._time = self._time * decay + passed
        self._done, self._noted_at = done, now
        if self._amount <= 0:
            return
        end = now + waiting * self._time / self._amount
        if self._end is None:
            self._end = end if now - self._started_at >= _LEAST_SECONDS else None
        else:
            self._end += (end - self._end) * (1 - exp(-passed / _SHOWN_SECONDS))

    def seconds(self) -> float | None:
        """Seconds from now to the end, or None while there is no estimate."""
        return None if self._end is None else max(0.0, self._end - self._clock())


class Bar:
    """One line for each stage: how much of it is done, and the time left in the one that is running."""

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = monotonic) -> None:
        self._progress = Progress(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description:<24}"),
            BarColumn(),
            _Counts(),
            _Left(),
            console=console or Console(stderr=True),
            get_time=clock,
        )
        self._clock = clock
        self._task: TaskID | None = None
        self._stage = ""
        self._left = TimeLeft(clock)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._finish()
        self._progress.stop()

    def step(self, step: Step) -> None:
        """Show how far a sync has come; a stage ends when the next one begins, and the last with the bar."""
        if step.stage == "embedding":
            done, total, unit = step.vectors, step.vectors + step.vectors_waiting, "vectors"
        elif step.stage == "reading":
            done, total, unit = step.documents, step.documents + step.documents_waiting, "documents"
        else:
            done, total, unit = 0, None, ""
        if step.stage != self._stage or self._task is None:
            self._finish()
            self._stage = step.stage
            self._left = TimeLeft(self._clock)
            self._task = self._progress.add_task(step.stage, total=total, unit=unit, left=self._left)
        if total is not None:
            self._left.note(done, total - done)
        self._progress.update(self._task, completed=done, total=total)

    def _finish(self) -> None:
        """Finish the running stage: fill its bar and stop its spinner."""
        if self._task is None:
            return
        done = next(task.completed for task in self._progress.tasks if task.id == self._task)
        self._progress.update(self._task, completed=done or 1, total=done or 1)
        self._task = None


class _Counts(ProgressColumn):
    """The counts of done and total; empty for a stage that is not counted."""

    def render(self, task: Task) -> Text:
        unit = task.fields["unit"]
        return Text(f"{task.completed:.0f}/{task.total:.0f} {unit}" if unit and task.total is not None else "")


class _Left(ProgressColumn):
    """The time left in a running stage."""

    def render(self, task: Task) -> Text:
        left: TimeLeft = task.fields["left"]
        seconds = None if task.finished else left.seconds()
        return Text("" if seconds is None else f"{timedelta(seconds=round(seconds))} left", style="cyan")
