"""Golden questions in YAML, read strictly enough to locate errors, and the test whether a quote has their answer."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

from citemark.model.errors import InvalidArgument
from citemark.services.requests import wrong_with

_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\[\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LIST_MARKER = re.compile(r"^[ \t>]*(?:[-+*]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t|:+-]*-{3}[ \t|:+-]*$", re.MULTILINE)
_MARKS = re.compile(r"[*_`#|>\\~\[\]]+")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_BORDERS = "  "


def plain(text: str) -> str:
    """The words of `text` with single blanks between them, without the markup of links, tags, lists and tables."""
    text = _LIST_MARKER.sub("", _RULE.sub(" ", text))
    text = _TAG.sub(" ", _LINK.sub(r"\1", text))
    return " ".join(_MARKS.sub(" ", text).split())


def stands_in(answer: str, quotes: Iterable[str]) -> bool:
    """True when one of the quotes contains all of `answer`, word by word."""
    answer_tokens = _tokens(answer)
    return answer_tokens != _BORDERS and any(answer_tokens in _tokens(quote) for quote in quotes)


def _tokens(text: str) -> str:
    """Words and punctuation between spaces: "4 weeks" is not in "14 weeks", and markup at a word is ignored."""
    return f" {' '.join(_TOKEN.findall(plain(text)))} "


UNANSWERABLE = "unanswerable"
_NO = frozenset({"false", "no", "off", "0"})
_YES = frozenset({"true", "yes", "on", "1"})


@dataclass(frozen=True, slots=True)
class Expected:
    """A page that answers, with the words that do; `group` is the part that it gives of an answer from several pages.

    In an architecture model it is an element: `path` is its id and `element` its name. In an account it is a document
    of type `doc_type`, identified by its id there (`path`) or by its `title`, whichever is given.
    """

    path: str
    answer: str
    heading: str | None = None
    group: str | None = None
    element: str | None = None
    doc_type: str | None = None
    title: str | None = None

    @property
    def label(self) -> str:
        """What the expected document is called in a report."""
        return self.path if self.doc_type is None else f"{self.doc_type}: {self.title or self.path}"

    def is_document(self, native_id: str, doc_type: str, title: str) -> bool:
        """True when this is the document with that id, type and title."""
        if self.doc_type is None:
            return same_page(self.path, native_id)
        matches = title == self.title if self.title is not None else native_id == self.path
        return doc_type == self.doc_type and matches


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """One question, with further phrasings of it; `expected` is empty if it is unanswerable."""

    question_id: str
    question: str
    kind: str
    expected: tuple[Expected, ...]
    notes: str = ""
    also: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        """True when some page answers."""
        return bool(self.expected)

    @property
    def groups(self) -> tuple[tuple[Expected, ...], ...]:
        """The groups of expected pages; a full answer needs one page of each. Pages without a group form one."""
        names = dict.fromkeys(entry.group for entry in self.expected)
        return tuple(tuple(entry for entry in self.expected if entry.group == name) for name in names)


def same_page(expected: str, native_id: str) -> bool:
    """True when the two name the same page, even if the tree was added from a folder further down or further up."""
    return expected == native_id or expected.endswith(f"/{native_id}") or native_id.endswith(f"/{expected}")


def load_golden(path: Path) -> tuple[GoldenQuestion, ...]:
    """Load the questions of a file.

    Raises:
        InvalidArgument: the file cannot be read or does not have the expected form; the message names row and key.
    """
    document = read_yaml(path)
    if not isinstance(document, list) or not document:
        raise InvalidArgument(f"{path} must hold a list of questions, each with id, question and expect.")
    rows = cast("Sequence[object]", document)
    questions = tuple(_Row(path, number, row).question() for number, row in enumerate(rows, start=1))
    seen: set[str] = set()
    for number, question in enumerate(questions, start=1):
        if question.question_id in seen:
            raise InvalidArgument(f"{path}, row {number}: id {question.question_id!r} occurs twice.")
        seen.add(question.question_id)
    return questions


def read_yaml(path: Path) -> object:
    """Read a YAML file with every scalar as a string: an answer "2025-06-18" must not become a date.

    Raises:
        InvalidArgument: the file cannot be read or is not YAML.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - makes strings alone
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}.", path=str(path)) from None
    except UnicodeDecodeError:
        raise InvalidArgument(f"{path} is not UTF-8 text.", path=str(path)) from None
    except yaml.YAMLError as error:
        raise InvalidArgument(f"{path} is not YAML: {' '.join(str(error).split())}", path=str(path)) from None


class _Row:
    """One row of a file, parsed into a question; errors name the row and the key."""

    def __init__(self, path: Path, number: int, row: object) -> None:
        self._path = path
        self._location = f"row {number}"
        self._row = self._mapping(row, "the row")

    def question(self) -> GoldenQuestion:
        question_id = self._text(self._row, "id")
        self._location += f" ({question_id})"
        kind = self._optional(self._row, "kind") or "factual"
        expected = self._expected()
        answerable = self._flag("answerable", default=kind != UNANSWERABLE)
        if answerable and not expected:
            raise self._wrong("expect", f"lists no page; write `kind: {UNANSWERABLE}` if none answers")
        if not answerable and expected:
            raise self._wrong("expect", "lists pages although the question is unanswerable")
        question = self._text(self._row, "question")
        if wrong := wrong_with(question):
            raise self._wrong("question", wrong)
        return GoldenQuestion(
            question_id=question_id,
            question=question,
            kind=kind if answerable else UNANSWERABLE,
            expected=expected,
            notes=self._optional(self._row, "notes") or "",
        )

    def _expected(self) -> tuple[Expected, ...]:
        entries = self._row.get("expect", "")
        if entries == "":
            return ()
        if not isinstance(entries, list):
            raise self._wrong("expect", "must be a list of pages")
        fallback = self._optional(self._row, "answer")
        expected: list[Expected] = []
        for number, entry in enumerate(cast("Sequence[object]", entries), start=1):
            page = self._mapping(entry, f"expect[{number}]")
            if "element_id" in page:
                expected.append(self._element(page, f"expect[{number}]", fallback))
                continue
            answer = self._optional(page, "answer") or fallback
            if answer is None or not plain(answer):
                raise self._wrong(f"expect[{number}].answer", "is missing, and the row has none either")
            expected.append(
                Expected(
                    path=self._document(page, f"expect[{number}]"),
                    answer=answer,
                    heading=self._optional(page, "heading"),
                    group=self._optional(page, "group"),
                    doc_type=self._optional(page, "doc_type"),
                    title=self._optional(page, "title") if "doc_type" in page else None,
                )
            )
        return tuple(expected)

    def _document(self, page: Mapping[str, object], location: str) -> str:
        """The path of a page; for a document of an account its id there, or "" if its title is given."""
        if "doc_type" not in page:
            return self._text(page, "path", f"{location}.path").strip("/")
        if self._optional(page, "title") is not None:
            return ""
        return self._text(page, "native", f"{location}.native")

    def _element(self, entry: Mapping[str, object], location: str, fallback: str | None) -> Expected:
        """An expected element; each one is a part of the answer, unless `match` says that any one is a full answer."""
        element_id, name = (
            self._text(entry, "element_id", f"{location}.element_id"),
            self._text(entry, "name", f"{location}.name"),
        )
        match = self._optional(self._row, "match") or "all"
        if match not in {"all", "any"}:
            raise self._wrong("match", "must be all or any")
        return Expected(element_id, fallback or name, group=element_id if match == "all" else None, element=name)

    def _mapping(self, value: object, what: str) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise InvalidArgument(f"{self._path}, {self._location}: {what} must be a mapping of keys to values.")
        return cast("Mapping[str, object]", value)

    def _text(self, mapping: Mapping[str, object], key: str, name: str | None = None) -> str:
        value = mapping.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(name or key, "is missing" if value is None else "must be a text")
        return value.strip()

    def _optional(self, mapping: Mapping[str, object], key: str) -> str | None:
        value = mapping.get(key, "")
        if not isinstance(value, str):
            raise self._wrong(key, "must be a text")
        return value.strip() or None

    def _flag(self, key: str, *, default: bool) -> bool:
        value = (self._optional(self._row, key) or "").lower()
        if value and value not in _YES | _NO:
            raise self._wrong(key, "must be true or false")
        return default if not value else value in _YES

    def _wrong(self, key: str, why: str) -> InvalidArgument:
        return InvalidArgument(f"{self._path}, {self._location}: {key} {why}.", path=str(self._path), key=key)
