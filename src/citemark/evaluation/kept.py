"""Golden questions that a person keeps beside the index, and the evaluations of them."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import yaml

from citemark.evaluation.comparison import SavedRun, read_run
from citemark.evaluation.golden import GoldenQuestion, load_golden
from citemark.model.errors import InvalidArgument

QuestionSet = Literal["documents", "elements"]
"""Questions about elements of models are asked in another way, so they are kept and run apart."""

SETS: tuple[QuestionSet, ...] = ("documents", "elements")

_FILES: Mapping[QuestionSet, str] = {"documents": "questions.yaml", "elements": "element-questions.yaml"}
_STAMP = "%Y%m%dT%H%M%S.%fZ"
_RUN = re.compile(r"(documents|elements)-(\d{8}T\d{6}\.\d{6}Z)\.json")
_WORD = re.compile(r"[^\W_]+")
_ID_CHARS = 40
"""The most characters of an id that is made of a question."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """An evaluation that was kept: the name of its file, and when it was run (UTC)."""

    name: str
    questions: QuestionSet
    at: datetime


class KeptEvaluation:
    """Golden questions and evaluations in one folder, which only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, which: QuestionSet) -> Path:
        """The file of the questions, in the form that `citemark eval` reads."""
        return self._folder / _FILES[which]

    def questions(self, which: QuestionSet) -> tuple[GoldenQuestion, ...]:
        """The questions that are kept.

        Raises:
            InvalidArgument: somebody edited the file, and it cannot be read any more.
        """
        file = self.file(which)
        return load_golden(file) if file.exists() else ()

    def keep(self, which: QuestionSet, question: str, kind: str, expect: Sequence[Mapping[str, str]]) -> str:
        """Append a question; nothing that stands in the file is changed. Returns its id.

        Raises:
            InvalidArgument: the question or what it expects is not acceptable, or the same question is kept already.
        """
        known = self.questions(which)
        if any(each.question == question for each in known):
            raise InvalidArgument("This question is kept already.")
        question_id = _unused_id(question, {each.question_id for each in known})
        row = {"id": question_id, "question": question, "kind": kind, "expect": [dict(each) for each in expect]}
        file = self.file(which)
        before = file.read_text("utf-8") if file.exists() else ""
        gap = "" if not before or before.endswith("\n") else "\n"
        tried = self._folder / f".{file.name}"
        self._write(tried, before + gap + yaml.safe_dump([row], allow_unicode=True, sort_keys=False))
        try:
            load_golden(tried)
        except InvalidArgument:
            tried.unlink()
            raise
        tried.replace(file)
        return question_id

    def save(self, which: QuestionSet, report: Mapping[str, Any], at: datetime) -> KeptRun:
        """Keep an evaluation that was run at a moment (UTC)."""
        run = KeptRun(f"{which}-{at.strftime(_STAMP)}.json", which, at)
        self._write(self._folder / run.name, json.dumps(report, ensure_ascii=False))
        return run

    def runs(self, which: QuestionSet) -> list[KeptRun]:
        """The evaluations that are kept, the newest first."""
        names = sorted((each.name for each in self._folder.glob(f"{which}-*.json")), reverse=True)
        return [run for name in names if (run := _run_of(name)) is not None]

    def read(self, name: str) -> SavedRun:
        """An evaluation by the name of its file.

        Raises:
            InvalidArgument: none has that name, or it cannot be read.
        """
        if _run_of(name) is None or not (self._folder / name).is_file():
            raise InvalidArgument(f"There is no evaluation {name[:_ID_CHARS]!r}.")
        return read_run(self._folder / name)

    def _write(self, file: Path, text: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as opened:
            opened.write(text)


def _run_of(name: str) -> KeptRun | None:
    """The evaluation that a file holds by its name; None if it is the name of something else."""
    found = _RUN.fullmatch(name)
    if found is None:
        return None
    which: QuestionSet = "documents" if found[1] == "documents" else "elements"
    return KeptRun(name, which, datetime.strptime(f"{found[2]}+0000", f"{_STAMP}%z"))


def _unused_id(question: str, used: set[str]) -> str:
    """An id made of the first words of a question."""
    words = "-".join(_WORD.findall(question.lower()))[:_ID_CHARS].strip("-") or "question"
    number, found = 1, words
    while found in used:
        number += 1
        found = f"{words}-{number}"
    return found
