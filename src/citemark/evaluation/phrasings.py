"""Further phrasings of golden questions, as a calling model gives them in `also`, read from YAML."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from citemark.evaluation.golden import GoldenQuestion, read_yaml
from citemark.evidence.scoring import question_tokens
from citemark.model.errors import InvalidArgument
from citemark.services.requests import MAX_PHRASING_CHARS, MAX_PHRASINGS, wrong_with

Phrasings = Mapping[str, tuple[str, ...]]
"""Further phrasings by the id of their question."""


def load_phrasings(path: Path) -> Phrasings:
    """Load the phrasings of a file: a mapping of question ids to lists of texts.

    Raises:
        InvalidArgument: the file cannot be read or does not have the expected form; the message names the id.
    """
    document = read_yaml(path)
    if not isinstance(document, dict):
        raise InvalidArgument(f"{path} must map the ids of questions to lists of phrasings.", path=str(path))
    return {key: _phrasings(path, key, value) for key, value in cast("Mapping[str, object]", document).items()}


def phrased(questions: Sequence[GoldenQuestion], phrasings: Phrasings) -> tuple[GoldenQuestion, ...]:
    """The questions with their phrasings; some may have none.

    Raises:
        InvalidArgument: there are phrasings of a question that does not exist.
    """
    unknown = sorted(set(phrasings) - {question.question_id for question in questions})
    if unknown:
        raise InvalidArgument(f"There are phrasings of {unknown[0]!r}, and no question has that id.", id=unknown[0])
    return tuple(replace(question, also=phrasings.get(question.question_id, ())) for question in questions)


def without_golden_words(question: GoldenQuestion) -> GoldenQuestion:
    """The question without those phrasings that contain a word of a golden answer which the question lacks.

    A phrasing may be a lucky guess of the answer itself; the others show what phrasings achieve without such luck.
    """
    answers = frozenset[str]().union(*(question_tokens(entry.answer) for entry in question.expected))
    golden = answers - question_tokens(question.question)
    return replace(question, also=tuple(text for text in question.also if not golden & question_tokens(text)))


def _phrasings(path: Path, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidArgument(f"{path}, {key!r}: must be a list of phrasings.", path=str(path), id=key)
    texts = tuple(cast("Sequence[object]", value))
    if len(texts) > MAX_PHRASINGS:
        raise InvalidArgument(f"{path}, {key!r}: has more than {MAX_PHRASINGS} phrasings.", path=str(path), id=key)
    for text in texts:
        wrong = wrong_with(text, MAX_PHRASING_CHARS) if isinstance(text, str) else "must be text"
        if wrong:
            raise InvalidArgument(f"{path}, {key!r}: a phrasing {wrong}.", path=str(path), id=key)
    return cast("tuple[str, ...]", texts)
