"""`citemark open`: the lines of a citation as they were at its revision, here or in the person's own program."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citemark.cli.command_context import CommandContext
from citemark.cli.open_target import refers_to
from citemark.cli.programs import desktop_command, editor_command
from citemark.cli.search_command import local_files
from citemark.cli.styled import Styled, faint
from citemark.model.errors import InvalidArgument
from citemark.results.cited_files import beside_citations
from citemark.results.common_parts import cited
from citemark.services.app_context import AppContext
from citemark.services.reopening import ReopenedLines
from citemark.services.requests import Caller
from citemark.text.citation_line import line_of, name_of

Program = Literal["editor", "desktop"]

_MOST_BYTES = 32 * 1024 * 1024
"""In a larger file the cited lines are not looked for."""


@dataclass(slots=True)
class Starting:
    """The command that is to be started once the index is closed; empty until it is known."""

    command: Sequence[str] = ()


async def open_command(
    run: CommandContext,
    app: AppContext,
    words: Sequence[str],
    program: Program | None = None,
    starting: Starting | None = None,
) -> int:
    """Show the cited lines; for a program, set the command that opens them in it instead.

    Raises:
        InvalidArgument: the words refer to nothing, what they cite does not exist (any more), or there is no program.
        BackendUnavailable: the source cannot vouch for the document right now.
    """
    passage = await app.services.reopening.reopen(Caller.local(), await refers_to(app, words))
    files = await local_files(app)
    citation = {"citation": cited(passage.citation).model_dump(mode="json", exclude_unset=True)}
    data = beside_citations({**citation, "text": passage.text, "superseded": passage.superseded}, files)
    text = Styled()
    if program is None or starting is None:
        text.extend(passage.text.split("\n"))
        text.line(faint(f"[{line_of(passage.citation)}]"))
    else:
        file = files.of(passage.citation)
        starting.command = _command(program, passage, None if file is None else file.path)
        data["command"] = list(starting.command)
        text.line(f"Opening {starting.command[-1]}")
    if passage.superseded:
        text.line("Another revision has taken its place, or the document is gone.")
    run.show(data, text)
    return 0


def _command(program: Program, passage: ReopenedLines, file: Path | None) -> list[str]:
    address = passage.citation.url or ""
    on_the_web = address.startswith(("https://", "http://"))
    match program:
        case "desktop" if on_the_web:
            return desktop_command(os.environ, address)
        case "desktop" if file is not None:
            return desktop_command(os.environ, str(file))
        case "editor" if file is not None:
            return editor_command(os.environ, file, line_in(file, passage))
        case _:
            instead = "--desktop opens its page" if on_the_web else "without --editor and --desktop its lines are shown"
            raise InvalidArgument(f"{name_of(passage.citation)} is no file on this machine; {instead}.")


def line_in(file: Path, passage: ReopenedLines) -> int | None:
    """The line of a file at which the cited lines begin now, the nearest to the citation if they stand there often.

    None if the file does not hold them as lines of text: another revision took their place, or a reader made the text.
    """
    cited_lines = passage.citation.anchor.lines
    wanted = [line.rstrip() for line in passage.text.split("\n")]
    if cited_lines is None or not any(wanted) or file.stat().st_size > _MOST_BYTES:
        return None
    lines = [line.rstrip() for line in file.read_text("utf-8-sig", "replace").split("\n")]
    begins = [at for at in range(len(lines)) if lines[at : at + len(wanted)] == wanted]
    if not begins:
        first = next(line for line in wanted if line)
        begins = [at for at, line in enumerate(lines) if line == first]
    return min((at + 1 for at in begins), key=lambda line: abs(line - cited_lines.start), default=None)
