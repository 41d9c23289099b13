"""A process that reads one git repository: `python -m citemark.sources.git_child MIB SECONDS FOLDER`.

What is in a repository may have been made to take endless time or memory, so it is read here, within limits, and not
where questions are answered. The process has no network and can gain no privileges; it reads as the account that
started it, since it opens files by their paths. It ends when its parent closes the pipe.

Messages are those of `extraction.sandbox.ipc`: a length, and JSON. The bytes of a file follow the message that
announces them. The answer to a request ends with a message that has `end`.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from citemark.extraction.sandbox.child import alarm, claim_pipes, give_up_privileges, leave_signals_to_the_parent
from citemark.extraction.sandbox.ipc import LENGTH_BYTES, packed
from citemark.model.errors import CitemarkError
from citemark.sources.git_objects import LargeObject
from citemark.sources.git_repository import GitRepository, RepositoryCommit
from citemark.sources.git_trees import MOST_ENTRIES, TreeFile

_TOGETHER = 1_000
"""Rows of one message: enough that a message costs nothing, few enough that the parent soon sees the next one."""

_NICE = 5
"""The niceness, as of the processes that parse files."""

_OVERTIME = 5.0
"""Seconds beyond the parent's limit; as long as the parent lives, it is the one that ends a slow process."""

_Part = tuple[dict[str, Any], bytes]
"""A message, and the bytes that follow it."""


def main() -> None:
    """Open the repository, say so, and answer requests until the pipe closes."""
    memory, seconds, folder = int(sys.argv[1]), float(sys.argv[2]) + _OVERTIME, Path(sys.argv[3])
    leave_signals_to_the_parent()
    _limit(memory * 1024 * 1024)
    give_up_privileges(account=False)
    source, sink = claim_pipes()
    with contextlib.ExitStack() as stack:
        opened: list[GitRepository] = []

        def opening() -> Iterator[_Part]:
            opened.append(stack.enter_context(GitRepository.around(folder)))
            yield {}, b""

        _send(sink, opening, seconds)
        while opened and (request := _read(source)) is not None:
            _send(sink, _answering(opened[0], request), seconds)


def _answering(repository: GitRepository, request: Mapping[str, Any]) -> Callable[[], Iterator[_Part]]:
    return lambda: _answer(repository, request)


def _answer(repository: GitRepository, request: Mapping[str, Any]) -> Iterator[_Part]:
    match request["ask"]:
        case "tags":
            yield from _rows(map(_commit_row, repository.tags()))
        case "commit":
            yield {"rows": [_commit_row(repository.commit(request["name"]))]}, b""
        case "files":
            name, commit_id, at = request["commit"]
            commit = RepositoryCommit(name, commit_id, datetime.fromisoformat(at))
            yield from _rows((file.path, file.blob_id) for file in repository.files(commit, most=MOST_ENTRIES))
        case "content":
            content = repository.content(TreeFile(*request["file"]), request["most"])
            yield {"bytes": len(content)}, content
        case _:
            raise ValueError(request["ask"])


def _rows(rows: Iterator[Any]) -> Iterator[_Part]:
    while some := list(islice(rows, _TOGETHER)):
        yield {"rows": some}, b""


def _commit_row(commit: RepositoryCommit) -> list[str]:
    return [commit.name, commit.commit_id, commit.at.isoformat()]


def _send(sink: BinaryIO, answer: Callable[[], Iterator[_Part]], seconds: float) -> None:
    """Send an answer; the last message says how it ended."""
    end: dict[str, Any] = {"end": True}
    try:
        alarm(seconds)
        for message, content in answer():
            sink.write(packed(message))
            sink.write(content)
            sink.flush()
            alarm(seconds)
    except LargeObject as error:
        end |= {"error": "LargeObject", "size": error.size}
    except CitemarkError as error:
        end |= {"error": type(error).__name__, "message": error.message, "details": error.details}
    except MemoryError:
        end |= {"error": "MemoryError"}
    sink.write(packed(end))
    sink.flush()
    alarm(0)


def _read(source: BinaryIO) -> Mapping[str, Any] | None:
    length = source.read(LENGTH_BYTES)
    return json.loads(source.read(int.from_bytes(length, "big"))) if len(length) == LENGTH_BYTES else None


def _limit(memory: int) -> None:
    """Limit what this process may allocate; indexes of packs are mapped, and do not count where the system says so."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every platform

    kind = resource.RLIMIT_DATA if sys.platform.startswith("linux") else resource.RLIMIT_AS
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (memory, memory))
    with contextlib.suppress(OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(_NICE)


if __name__ == "__main__":
    main()
