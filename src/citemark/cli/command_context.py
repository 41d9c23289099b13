"""The context of every command: how to open the index, print a result, report progress and fail."""

import asyncio
import json as jsonlib
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, TextIO, TypeAlias, cast

import typer

from citemark.cli.stopping import KEPT_WORDS, STOPPED, STOPPED_WORDS
from citemark.model.citation import iso
from citemark.model.errors import CitemarkError, ConfigurationError, InvalidArgument
from citemark.text.escaping import visible
from citemark.text.hidden import hidden_as_json_escapes

if TYPE_CHECKING:
    from citemark.cli.measured_file import MeasuredFile
    from citemark.cli.progress_bar import Bar
    from citemark.cli.styled import Styled
    from citemark.model.backup import Manifest
    from citemark.services.app_context import AppContext, OpenIndex
    from citemark.settings import Settings

FAILED = 1
WRONG_USE = 2
NOTHING_FOUND = 3

Arguments: TypeAlias = Mapping[str, Any]
"""The arguments of a command as JSON holds them."""

AnsweredCommand: TypeAlias = "Callable[[CommandContext, AppContext, Arguments], Awaitable[int]]"
"""Carries a command out, shows its result once, and returns its exit code."""


@dataclass(frozen=True, slots=True)
class CommandContext:
    """One invocation: how to open the index, how to print and how to report progress.

    Attributes:
        open_index: opens the index of some settings.
        json: print one JSON object.
        quiet: show no progress.
        settings: those of this invocation; None reads the user's.
        answered: the commands that a server can carry out, by name.
        stopped_words: what is said if a signal stops it.
    """

    open_index: "OpenIndex"
    json: bool = False
    quiet: bool = False
    settings: "Settings | None" = None
    stopped_words: str = STOPPED_WORDS
    answered: "Callable[[], Mapping[str, AnsweredCommand]]" = dict

    def answer(self, name: str, arguments: Arguments) -> None:
        """Have the server of the index carry a command out, or do so here if none can; exit with its exit code.

        Args:
            name: of the command, as `answered` knows it.
            arguments: of the command, as JSON holds them.
        """
        from citemark.cli.running_server import server_answer  # noqa: PLC0415 - most commands ask no server

        answer = None if self.settings else server_answer(name, arguments, as_json=self.json)
        if answer is not None:
            raise SystemExit(self._shown(answer))
        self.run(lambda run, app: self.answered()[name](run, app, arguments))

    def _shown(self, answer: Mapping[str, Any]) -> int:
        """Show what a server answered, as if this process had found it, and return the exit code."""
        for line in answer["told"]:
            sys.stderr.write(f"citemark: {line}\n")
        if "error" in answer:
            self._report(**answer["error"])
        for shown in answer.get("shown", ()):
            if "lines" in shown:
                from citemark.cli.styled import Styled  # noqa: PLC0415 - as above

                self.show({}, Styled.of_pieces(shown["lines"]))
            else:
                self.show(shown.get("data", {}), shown.get("text", ""))
        return int(answer["exit"])

    def run(
        self, command: "Callable[[CommandContext, AppContext], Awaitable[int]]", *, when_stopped: int = STOPPED
    ) -> None:
        """Open the index, run a command over it, and exit with its exit code.

        Args:
            command: returns the exit code.
            when_stopped: the exit code if a signal stops the command before it returns one of its own.
        """
        raise SystemExit(self.attempt(command, when_stopped=when_stopped))

    def attempt(
        self, command: "Callable[[CommandContext, AppContext], Awaitable[int]]", *, when_stopped: int = STOPPED
    ) -> int:
        """Like `run`, but return the exit code."""

        async def opened(settings: "Settings") -> int:
            async with self.open_index(settings) as app:
                return await command(self, app)

        return self.attempt_without_index(opened, when_stopped=when_stopped)

    def attempt_without_index(
        self, command: "Callable[[Settings], Awaitable[int]]", *, when_stopped: int = STOPPED
    ) -> int:
        """Run a command that opens no index, or does so by itself, and return its exit code."""
        from citemark.folders import data_dir  # noqa: PLC0415
        from citemark.logs import configure_logs  # noqa: PLC0415
        from citemark.settings import load_settings  # noqa: PLC0415
        from citemark.shutdown import Shutdown, leave  # noqa: PLC0415 - `--help` need not load it

        async def work() -> int:
            # Dying of a signal would leave PostgreSQL running.
            folder = None if settings.database_url is not None else data_dir(settings.data_dir)
            ending = Shutdown(folder, code=when_stopped, last_words=self.stopped_words)
            task = cast("asyncio.Task[int]", asyncio.current_task())
            with ending.on_signals(asyncio.get_running_loop(), task.cancel):
                return await command(settings)

        try:
            settings = self.settings or load_settings()
            configure_logs(settings.log_level)
            return asyncio.run(work())
        except CitemarkError as error:
            return self.fail(error)
        except ExceptionGroup as group:
            expected = _first_expected(group)
            if expected is None:
                raise
            return self.fail(expected)
        except (KeyboardInterrupt, asyncio.CancelledError):
            sys.stderr.write(self.stopped_words)
            leave(when_stopped)

    def show(self, data: Mapping[str, Any], text: "str | Styled") -> None:
        """Print one JSON object or the text for people, on stdout."""
        if self.json:
            plain = _encoding().lower().replace("-", "") != "utf8"
            written = jsonlib.dumps(data, ensure_ascii=plain, default=_plain)
            sys.stdout.write(hidden_as_json_escapes(written) + "\n")
        elif isinstance(text, str):
            sys.stdout.write(_fitting(_clean(text), sys.stdout) + "\n")
        else:
            text.print(sys.stdout, _clean)
        sys.stdout.flush()

    def fail(self, error: CitemarkError) -> int:
        """Report what went wrong: the envelope on stdout for --json, a sentence on stderr for people."""
        self._report(error.code, error.message, error.details)
        return exit_code_of(error)

    def _report(self, code: str, message: str, details: Mapping[str, Any]) -> None:
        if self.json:
            self.show({"error": {"code": code, "message": message, "details": details}}, "")
        else:
            sys.stderr.write(_fitting(_clean(f"citemark: {message}\n"), sys.stderr))

    def crash(self, error: Exception) -> int:
        """Report where an unexpected failure happened, never its message, which may quote a document or a password."""
        from citemark.logs import failure_fields  # noqa: PLC0415 - only failures need it

        fields = failure_fields(error)
        message = f"Citemark itself failed ({fields['error_type']}); please report it with these places in its code:"
        if not self.json:
            message += "".join(f"\n  {frame}" for frame in fields["frames"])
        return self.fail(CitemarkError(message, **fields))

    def progress(self) -> "AbstractContextManager[Bar | None]":
        """A progress line on stderr, unless --json or --quiet is given."""
        if self.json or self.quiet:
            return nullcontext()
        from citemark.cli.progress_bar import Bar  # noqa: PLC0415

        return Bar()


def exit_code_of(error: CitemarkError) -> int:
    """The exit code of a command that fails so."""
    return WRONG_USE if isinstance(error, InvalidArgument | ConfigurationError) else FAILED


def exit_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data as they are after they were printed as JSON and read again."""
    return cast("dict[str, Any]", jsonlib.loads(jsonlib.dumps(data, default=_plain)))


def _clean(text: str) -> str:
    """The text with control characters made visible, and with what the output encoding cannot show replaced."""
    encoding = _encoding()
    return visible(text).encode(encoding, "replace").decode(encoding)


def _fitting(text: str, stream: TextIO) -> str:
    """The text as a terminal shows it without breaking words; unchanged for a pipe or a file."""
    if not stream.isatty():
        return text
    from citemark.cli.wrapping import wrapped  # noqa: PLC0415 - only terminals need it

    return wrapped(text, shutil.get_terminal_size().columns)


def _encoding() -> str:
    return sys.stdout.encoding or "utf-8"


def _plain(value: object) -> str:
    return iso(value) if isinstance(value, datetime) else str(value)


def _first_expected(group: BaseExceptionGroup[BaseException]) -> CitemarkError | None:
    for error in group.exceptions:
        if isinstance(error, CitemarkError):
            return error
        if isinstance(error, BaseExceptionGroup):
            inner = _first_expected(cast("BaseExceptionGroup[BaseException]", error))
            if inner is not None:
                return inner
    return None


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")]


class GrpcOptions(NamedTuple):
    """Where gRPC is served, the files of its certificate and key, and whether it may be in the clear elsewhere."""

    address: str
    certificate: Path | None
    key: Path | None
    in_the_clear: bool


class ServeHttp(Protocol):
    """Serves over HTTP until a signal ends it, and returns the exit code."""

    def __call__(
        self,
        host: str,
        port: int,
        *,
        with_token: bool = True,
        anybody: bool = False,
        grpc: GrpcOptions | None = None,
        opened: Callable[[str], None] | None = None,
    ) -> int:
        """Listen on an address of this machine, and for gRPC beside it.

        `opened` is called with a link to the pages for a browser.
        """
        ...


class ServeGrpc(Protocol):
    """Serves over gRPC alone until a signal ends it, and returns the exit code."""

    def __call__(self, grpc: GrpcOptions, *, with_token: bool = True, anybody: bool = False) -> int:
        """Listen on an address of this machine."""
        ...


class Backup(Protocol):
    """Makes or restores a backup: its folder, and the folder of the keys if they are copied too."""

    def __call__(self, settings: "Settings", folder: "Path", keys: "Path | None") -> "Awaitable[Manifest]":
        """Do it, and return what the backup says of itself; that of a restored one counts what is there now."""
        ...


class Migration(Protocol):
    """Brings the schema of an index up to date, lets writers and readers use it, and returns its number."""

    def __call__(self, settings: "Settings", writers: Sequence[str], readers: Sequence[str]) -> "Awaitable[int]":
        """Do it; the roles are those of a shared database."""
        ...


class Making(Protocol):
    """Makes an index that is not there yet, with nothing in it."""

    def __call__(self, settings: "Settings", partitions: int) -> "Awaitable[None]":
        """Do it, with its tables in so many partitions; 0 leaves them whole."""
        ...


@dataclass(frozen=True, slots=True)
class FirstStep:
    """What `citemark` alone asks a newcomer on behalf of a feature; the question may be skipped.

    `do` does what the answer asks for, and returns an exit code.
    """

    question: str
    do: Callable[[CommandContext, str], int]


@dataclass(frozen=True, slots=True)
class Launcher:
    """Functions provided by the composition root: how to open an index, serve it, copy it and change its schema.

    `first_steps` are what features ask a newcomer, `measured_files` the kinds of golden files that they measure, and
    `answered` the commands that a server can carry out.
    """

    open_index: "OpenIndex"
    serve: Callable[[], int]
    bridge: Callable[[], int]
    serve_http: "ServeHttp"
    serve_grpc: "ServeGrpc"
    back_up: "Backup"
    restore: "Backup"
    migrate: "Migration"
    make_new: "Making"
    first_steps: Callable[[], Sequence[FirstStep]] = tuple
    measured_files: "Callable[[], Sequence[MeasuredFile]]" = tuple
    answered: "Callable[[], Mapping[str, AnsweredCommand]]" = dict

    def command(self, *, json: bool = False, quiet: bool = False) -> CommandContext:
        """The context of one invocation."""
        return CommandContext(self.open_index, json=json, quiet=quiet, answered=self.answered)

    def reading(self, *, json: bool, quiet: bool) -> CommandContext:
        """The context of one invocation of a command that reads sources, which keeps what is finished when stopped."""
        return replace(self.command(json=json, quiet=quiet), stopped_words=KEPT_WORDS)


def launcher_of(context: typer.Context) -> Launcher:
    """The functions provided by the composition root."""
    entry = context.find_object(Launcher)
    if entry is None:
        raise RuntimeError("the composition root starts this command line")
    return entry
