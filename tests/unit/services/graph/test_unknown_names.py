"""Why there is no graph: nothing is indexed, or what is indexed is related to nothing."""

import pytest

from citemark.model.completeness import SourceReading
from citemark.model.sources import AllowedSources
from citemark.services.graph.unknown_names import no_graph


@pytest.mark.requirement("causes-established")
def test_a_scope_without_a_graph_is_called_unindexed_only_if_it_is() -> None:
    assert "no document in it is indexed" in no_graph(AllowedSources((), 0, 0)).message
    indexed = no_graph(AllowedSources((), 12, 400)).message
    assert "no relationship was found in its documents" in indexed
    assert "is indexed" not in indexed
    waiting = AllowedSources((), 12, 400, readings=(SourceReading(1, "docs", waiting=1),))
    assert "no relationship was found in what has been read so far" in no_graph(waiting).message
