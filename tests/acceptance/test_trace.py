"""How many files one question passes through, as `make trace` counts them."""

from pathlib import Path

from tests.support.trace import BAR, counted, report, traced


async def test_one_question_enters_no_more_files_than_the_bar_allows(indexed_folder: Path) -> None:
    files = await traced(indexed_folder)
    assert {"tools/server.py", "services/evidence.py", "store/candidate_search.py", "evidence/filling.py"} <= set(files)
    assert len(counted(files)) <= BAR, report(files)
