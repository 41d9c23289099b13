"""A progress line for people, on stderr."""

from collections.abc import Callable
from datetime import timedelta
from math import exp
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.text import Text

from citemark.cli.counting import counted
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
    """One line in a terminal, which goes when the work ends: the stage, how much of it is done, and the time left.

    The total is shown once nothing more is being listed, so that it does not grow.
    """

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = monotonic) -> None:
        console = console or Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            _Counts(),
            _Left(),
            console=console,
            get_time=clock,
            transient=True,
            disable=not console.is_terminal,
        )
        self._clock = clock
        self._stage = ""
        self._left = TimeLeft(clock)
        self._task = self._progress.add_task("starting", total=None, unit="", left=self._left)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def step(self, step: Step) -> None:
        """Show how far a sync has come."""
        if step.stage == "embedding":
            done, waiting, unit = step.vectors, step.vectors_waiting, "vector"
        elif step.stage == "reading":
            done, waiting, unit = step.documents, step.documents_waiting, "document"
        else:
            done, waiting, unit = 0, 0, ""
        if step.stage != self._stage:
            self._stage = step.stage
            self._left = TimeLeft(self._clock)
        if unit and not step.listing:
            self._left.note(done, waiting)
        self._progress.update(
            self._task,
            description=step.stage,
            completed=done,
            total=done + waiting if unit and not step.listing else None,
            unit=unit,
            left=self._left,
        )


class _Counts(ProgressColumn):
    """The count of done and, once it is known, the total; empty for a stage that is not counted."""

    def render(self, task: Task) -> Text:
        unit = task.fields["unit"]
        if not unit:
            return Text("")
        done, total = round(task.completed), task.total
        return Text(counted(done, unit) if total is None else f"{done:,}/{counted(round(total), unit)}")


class _Left(ProgressColumn):
    """The time left in a stage."""

    def render(self, task: Task) -> Text:
        left: TimeLeft = task.fields["left"]
        seconds = left.seconds()
        return Text("" if seconds is None else f"{timedelta(seconds=round(seconds))} left", style="cyan")
