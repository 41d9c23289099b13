"""Front matter as evidence: a page's own properties, which answer only a question for one of them."""

import re
from collections.abc import Iterable

from citemark.evidence.scoring import LABELS, question_tokens
from citemark.evidence.spans import Piece, SpanKind, pieces
from citemark.text.properties import properties_alone

_PAIRS = frozenset({
    ("field", "value"), ("key", "value"), ("property", "value"), ("attribute", "value"), ("", ""),
    ("feld", "wert"), ("eigenschaft", "wert"), ("merkmal", "wert"), ("champ", "valeur"), ("campo", "valor"),
})  # fmt: skip
"""The header rows of tables that hold the properties of their page."""

_MARKS = "*_`: "
_BOLD = re.compile(r"\*\*[^*]+\*\*:?")


def property_keys(text: str) -> tuple[str, ...]:
    """The keys of a passage that consists of properties, or of a table of them; () for any other passage."""
    if found := properties_alone(text):
        return tuple(each.key for each in found)
    said = [piece for piece in pieces(text) if piece.kind not in LABELS]
    if not said or any(piece.kind is not SpanKind.ROW for piece in said):
        return ()
    rows = [_cells(piece.span.of(text)) for piece in said]
    if any(len(cells) != 2 for cells in rows):  # noqa: PLR2004 - a key and a value
        return ()
    if _header(said[0], text) not in _PAIRS and not all(_BOLD.fullmatch(key) for key, _ in rows):
        return ()
    return tuple(key.strip(_MARKS) for key, _ in rows)


def names_a_key(phrasings: Iterable[str], keys: Iterable[str]) -> bool:
    """Whether a phrasing of a question has a word of one of the keys."""
    asked = frozenset[str]().union(*map(question_tokens, phrasings))
    return any(not asked.isdisjoint(question_tokens(key)) for key in keys)


def _header(row: Piece, text: str) -> tuple[str, ...]:
    return () if row.header is None else tuple(cell.casefold() for cell in _cells(row.header.of(text)))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]
