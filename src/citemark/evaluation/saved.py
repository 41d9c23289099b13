"""An evaluation as it is kept: the JSON object that `citemark eval --json` prints, read back."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from citemark.model.errors import InvalidArgument


class SavedHit(BaseModel):
    """A hit as shown; a test collection names its documents, golden questions pages and sections."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    score: float
    page: str = ""
    section: str = ""
    document: str = ""

    @property
    def name(self) -> str:
        """What to call it."""
        return self.section or self.page or self.document


class SavedRow(BaseModel):
    """One question. What a test collection does not measure is None."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    question: str
    kind: str = "question"
    answerable: bool = True
    abstained: bool = False
    document_hit: bool
    evidence_hit: bool | None = None
    rank: int | None = None
    ndcg_at_10: float
    recall_at_100: float
    mrr: float | None = None
    top_score: float
    evidence_bytes: int | None = None
    section_bytes: int | None = None
    expected: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    shown: tuple[SavedHit, ...] = ()

    @property
    def first_rank(self) -> int | None:
        """1-based rank of the first right document; None when it is not among the first hundred."""
        if self.rank is not None or not self.mrr:
            return self.rank
        return round(1 / self.mrr)


class SavedPoint(BaseModel):
    """A point of the abstention curve."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    threshold: float
    answerable_kept: int
    unanswerable_rejected: int


class SavedRun(BaseModel):
    """One evaluation: its figures and a row per question."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    questions: int
    answerable: int
    document_hit_at_5: float
    evidence_hit_at_5: float | None
    mrr: float
    ndcg_at_10: float
    recall_at_100: float
    abstained: int
    wrongly_abstained: int
    bytes_median: int | None
    min_score: float
    collection: str | None = None
    curve: tuple[SavedPoint, ...] = ()
    rows: tuple[SavedRow, ...]


def read_run(path: Path) -> SavedRun:
    """The evaluation in a file.

    Raises:
        InvalidArgument: there is no such file, or it is not what `citemark eval --json` prints.
    """
    try:
        return SavedRun.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidArgument(f"The evaluation {path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InvalidArgument(
            f"{path} is not an evaluation as `citemark eval --json` prints it: {where}: {first['msg']}."
        ) from None
