"""The rooms whose code is mutated: where a mistake shows a person what is wrong, or what is not theirs."""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "citemark"
FOLDER = ROOT / ".build" / "mutants"

_ACCESS = (
    "retrieval/verification.py",
    "store/scope.py",
    "store/grants.py",
    "tools/http_access.py",
    "services/scoping.py",
    "services/people/*.py",
)
_ANSWER_CHECKS = ("amounts", "answer_sentences", "checked", "checking", "citations", "claimless", "claims")
_ANSWER_CHECKS_OF_WORDS = ("proper_names", "support", "verbatim", "wording")
_MENTIONS = ("mention_edges", "mention_linker", "name_dictionary")

ROOMS: dict[str, tuple[str, ...]] = {
    "retrieval": ("retrieval/*.py",),
    "evidence": ("evidence/**/*.py",),
    "indexing": ("indexing/*.py", *(f"features/graph/mentions/{name}.py" for name in _MENTIONS)),
    "access": _ACCESS,
    "answering": ("text/dates.py", *(f"answering/{name}.py" for name in (*_ANSWER_CHECKS, *_ANSWER_CHECKS_OF_WORDS))),
}
"""Globs below src/citemark. A file of the access checks counts there alone."""


def files_of(room: str) -> Iterator[Path]:
    """The files of a room, in the order of their names."""
    access = {path for glob in _ACCESS for path in SOURCE.glob(glob)}
    found = {path for glob in ROOMS[room] for path in SOURCE.glob(glob) if path.name != "__init__.py"}
    yield from sorted(found if room == "access" else found - access)


def say(text: str) -> None:
    """Write a line to the terminal at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
