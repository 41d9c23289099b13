"""What folders of documents contribute."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemark.feature import Feature

if TYPE_CHECKING:
    from citemark.sources.kinds import SourceKind


def _kinds() -> "Sequence[SourceKind]":
    from citemark.sources.docs.kind import DOCS_KIND

    return (DOCS_KIND,)


DOCS = Feature("docs", kinds=_kinds)
