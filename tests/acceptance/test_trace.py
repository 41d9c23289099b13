"""The files that one question passes through, as `make trace` lists them."""

from pathlib import Path

from tests.support.trace import traced


async def test_the_trace_of_a_question_goes_from_the_server_down_to_the_statements(indexed_folder: Path) -> None:
    files = await traced(indexed_folder)
    assert {"tools/server.py", "services/evidence.py", "store/candidate_search.py", "evidence/filling.py"} <= set(files)
