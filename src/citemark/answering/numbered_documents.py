"""What an answer is made from and checked against: numbered documents, as the caller may read them now."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from citemark.model.citation import Citation
from citemark.model.stated_dates import Occasion


@dataclass(frozen=True, slots=True)
class Document:
    """One document of an answer.

    `number` counts from 1 in the order of relevance and is what the answer cites; numbers of documents that were
    withdrawn between two rounds are left out, so there may be gaps. `text` is the passage that was found, verbatim;
    `citation` cites all of it. `metadata` is what the source says besides the text (`Location`, `Labels`, `Due`, ...).
    `relevance` is what the passage was ranked by, `score` what is shown, both in [0, 1]; `found_by` is the phrasing of
    the question to which it is most relevant. `header` is the header row of the table that the passage continues.
    `occasion` is when a dated document is.
    """

    number: int
    doc_type: str
    native_id: str
    title: str
    text: str
    score: float
    citation: Citation
    url: str | None = None
    category: str | None = None
    relevance: float | None = None
    found_by: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    header: str = ""
    occasion: Occasion | None = None
