"""Golden answers: what the check of an answer finds, compared with what people found."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from citemark.answering.checked import CheckedAnswer
from citemark.answering.checking import check
from citemark.evaluation.report import Cell, table
from citemark.model.errors import InvalidArgument

_BARE: Mapping[str, str] = MappingProxyType({})
_HEAD_LINES = 8
"""How many lines to read: the key that tells the two kinds of files apart is at the beginning of the first row."""


class GoldenSource(BaseModel):
    """A document that an answer was made from."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    number: int = Field(alias="n")
    title: str = ""
    text: str

    @property
    def header(self) -> str:
        """Always empty: the check sees only the text."""
        return ""

    @property
    def metadata(self) -> Mapping[str, str]:
        """Always empty: the check sees only the text."""
        return _BARE


class GoldenCitation(BaseModel):
    """The numbers that one sentence cites, including those without a document."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sentence: int
    n: tuple[int, ...]


class GoldenCheck(BaseModel):
    """What a check must find; sentences are counted from zero."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    citations: tuple[GoldenCitation, ...]
    out_of_range: tuple[int, ...] = ()
    uncited_sentences: frozenset[int] = frozenset()
    unsupported_sentences: frozenset[int] = frozenset()
    unsupported_claims: tuple[str, ...] = ()


class GoldenAnswer(BaseModel):
    """One answer with its sources."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    kind: str = "answer"
    answer: str
    sources: tuple[GoldenSource, ...]
    expect: GoldenCheck


@dataclass(frozen=True, slots=True)
class MatchedItems:
    """The items that a check found: how many correctly, which ones wrongly (`extra`), and which ones it missed."""

    hits: int
    extra: tuple[str, ...]
    missed: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """True when nothing is extra or missed."""
        return not self.extra and not self.missed

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"hits": self.hits, "extra": list(self.extra), "missed": list(self.missed)}


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One checked answer: what was right, and what was found wrongly or missed."""

    case_id: str
    kind: str
    odd: bool
    citations: bool
    out_of_range: bool
    uncited: bool
    unsupported: MatchedItems
    claims: MatchedItems

    @property
    def right(self) -> bool:
        """True when nothing differs from what was expected."""
        exact = self.citations and self.out_of_range and self.uncited
        return exact and self.unsupported.exact and self.claims.exact

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "id": self.case_id,
            "kind": self.kind,
            "citations": self.citations,
            "out_of_range": self.out_of_range,
            "uncited": self.uncited,
            "unsupported_sentences": self.unsupported.as_dict(),
            "unsupported_claims": self.claims.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class CheckFigures:
    """Rates over some answers; precision and recall are over their sentences and claims together."""

    answers: int
    citations: float
    out_of_range: float
    uncited: float
    unsupported_precision: float
    unsupported_recall: float
    claims_precision: float
    claims_recall: float

    def as_dict(self) -> dict[str, float]:
        """JSON form, to four digits."""
        return {name: round(getattr(self, name), 4) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of checking a file of golden answers."""

    rows: tuple[CheckRow, ...]

    def as_dict(self) -> dict[str, Any]:
        """One JSON object: the figures of all answers, of the odd and the even ones, by kind, and the failures."""
        kinds = dict.fromkeys(row.kind for row in self.rows)
        return {
            **figures(self.rows).as_dict(),
            "odd": figures([row for row in self.rows if row.odd]).as_dict(),
            "even": figures([row for row in self.rows if not row.odd]).as_dict(),
            "kinds": {kind: figures([row for row in self.rows if row.kind == kind]).as_dict() for kind in kinds},
            "failures": [row.as_dict() for row in self.rows if not row.right],
        }

    def render(self) -> str:
        """Figures by kind and half, and every failure, for people."""
        kinds = dict.fromkeys(row.kind for row in self.rows)
        groups: list[tuple[str, Sequence[CheckRow]]] = [
            *((kind, [row for row in self.rows if row.kind == kind]) for kind in kinds),
            ("odd", [row for row in self.rows if row.odd]),
            ("even", [row for row in self.rows if not row.odd]),
            ("all", self.rows),
        ]
        lines: list[Sequence[Cell]] = [(name, *figures(rows).as_dict().values()) for name, rows in groups]
        heads = ("kind", "answers", "citations", "range", "uncited", "prec.", "recall", "claims p.", "claims r.")
        wrong = [line for row in self.rows if not row.right for line in _failure(row)]
        return "\n\n".join([table(heads, lines), "\n".join(["Failures", *wrong]) if wrong else "No failures."])


def run_answers(file: Path) -> CheckReport:
    """Check every answer of a file.

    Raises:
        InvalidArgument: the file does not have the expected form; the message names the place.
    """
    seen: dict[str, int] = {}
    rows: list[CheckRow] = []
    for case in load_answers(file):
        seen[case.kind] = seen.get(case.kind, 0) + 1
        rows.append(judge(case, check(case.answer, case.sources), odd=seen[case.kind] % 2 == 1))
    return CheckReport(tuple(rows))


def load_answers(file: Path) -> tuple[GoldenAnswer, ...]:
    """The answers of a file.

    Raises:
        InvalidArgument: the file cannot be read or does not have the expected form.
    """
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        return TypeAdapter(tuple[GoldenAnswer, ...]).validate_python(document)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InvalidArgument(f"{file} cannot be read as YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors()[0]
        location = ".".join(map(str, first["loc"]))
        raise InvalidArgument(f"{file}, {location or 'top'}: {first['msg']}.", path=str(file)) from None


def holds_answers(file: Path) -> bool:
    """True when a file's first row is an answer with its sources rather than a question."""
    try:
        with file.open(encoding="utf-8") as lines:
            head = [line for line in lines if not line.startswith("#")][:_HEAD_LINES]
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.startswith(("- sources:", "  sources:")) for line in head)


def judge(case: GoldenAnswer, checked: CheckedAnswer, *, odd: bool) -> CheckRow:
    """Compare one checked answer with what is expected of it."""
    cited = {index: frozenset(sentence.numbers) for index, sentence in enumerate(checked.sentences) if sentence.numbers}
    uncited = {index for index, sentence in enumerate(checked.sentences) if sentence.standing == "uncited"}
    unsupported = {index for index, sentence in enumerate(checked.sentences) if sentence.standing == "unsupported"}
    return CheckRow(
        case_id=case.id,
        kind=case.kind,
        odd=odd,
        citations=cited == {entry.sentence: frozenset(entry.n) for entry in case.expect.citations},
        out_of_range=checked.out_of_range == tuple(sorted(set(case.expect.out_of_range))),
        uncited=uncited == set(case.expect.uncited_sentences),
        unsupported=_matched(
            map(str, sorted(unsupported)), map(str, sorted(case.expect.unsupported_sentences)), str.__eq__
        ),
        claims=_matched(checked.unsupported_claims, case.expect.unsupported_claims, _same_claim),
    )


def figures(rows: Sequence[CheckRow]) -> CheckFigures:
    """The rates over some rows."""
    unsupported, claims = [row.unsupported for row in rows], [row.claims for row in rows]
    return CheckFigures(
        answers=len(rows),
        citations=_rate([row.citations for row in rows]),
        out_of_range=_rate([row.out_of_range for row in rows]),
        uncited=_rate([row.uncited for row in rows]),
        unsupported_precision=_share(unsupported, lambda items: len(items.extra)),
        unsupported_recall=_share(unsupported, lambda items: len(items.missed)),
        claims_precision=_share(claims, lambda items: len(items.extra)),
        claims_recall=_share(claims, lambda items: len(items.missed)),
    )


def _matched(found: Iterable[str], expected: Iterable[str], same: Callable[[str, str], bool]) -> MatchedItems:
    unmatched = list(expected)
    extra: list[str] = []
    hits = 0
    for entry in found:
        match = next((other for other in unmatched if same(entry, other)), None)
        if match is None:
            extra.append(entry)
        else:
            unmatched.remove(match)
            hits += 1
    return MatchedItems(hits, tuple(extra), tuple(unmatched))


def _same_claim(one: str, other: str) -> bool:
    return one.casefold().strip() == other.casefold().strip()


def _rate(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 1.0


def _share(items: Sequence[MatchedItems], count_errors: Callable[[MatchedItems], int]) -> float:
    hits, errors = sum(entry.hits for entry in items), sum(map(count_errors, items))
    return hits / (hits + errors) if hits + errors else 1.0


def _failure(row: CheckRow) -> list[str]:
    errors = [
        name.replace("_", " ")
        for name, right in (("citations", row.citations), ("out_of_range", row.out_of_range), ("uncited", row.uncited))
        if not right
    ]
    for name, items in (("sentence", row.unsupported), ("claim", row.claims)):
        errors += [f"{name} {entry} wrongly called unsupported" for entry in items.extra]
        errors += [f"{name} {entry} not seen to be unsupported" for entry in items.missed]
    return [f"  {row.case_id} ({row.kind}): {'; '.join(errors)}"]
