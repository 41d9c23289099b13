"""The files that one question passes through, and the figures of its way, as `make trace` prints them."""

from pathlib import Path

from tests.support.trace import traced


async def test_the_trace_of_a_question_goes_from_the_server_down_to_the_statements(indexed_folder: Path) -> None:
    call = await traced(indexed_folder)
    expected = {"tools/server.py", "services/evidence.py", "store/candidate_search.py", "evidence/filling.py"}
    assert expected <= set(call.files)
    assert len(call.files) < call.functions
    assert call.room_changes > len({name.split("/")[0] for name in call.files})
