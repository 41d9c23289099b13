"""Whether there is anybody to phrase a question otherwise."""

from typing import Any, cast

from citemark.services.rephrasing import RephraseService


def test_phrasing_is_available_where_a_model_is_configured() -> None:
    state, model = cast("Any", None), cast("Any", object())
    assert not RephraseService(state, None, "").available
    assert RephraseService(state, model, "").available
