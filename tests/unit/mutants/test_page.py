"""What is said of the mutants."""

import re
from datetime import date

import pytest
from tests.mutants.equivalents import EQUIVALENTS
from tests.mutants.mutations import Mutant
from tests.mutants.page import BAR, PAGE, page, scores, table
from tests.mutants.rooms import ROOMS, SOURCE, files_of

_ONE = Mutant("room/module.py", "f", 3, 3, "1", "2", 1, "")
_TWO = Mutant("room/module.py", "f", 4, 4, "a | b", "a & b", 1, "")
_TRIED = {"room": [(_ONE, {"state": "killed"}), (_TWO, {"state": "survived"})]}


@pytest.mark.requirement("mutant-scores-stand-in-docs")
def test_scores_and_survivors_are_named_by_room() -> None:
    (score,) = scores(_TRIED)
    assert (score.tried, score.killed, score.share) == (2, 1, 0.5)
    said, enough = table(_TRIED)
    assert "survived" in said
    assert _TWO.ident in said
    assert not enough
    assert "| room | 2 | 1 | 0 | 50.0% | >= 85% |" in page(_TRIED, "s", date(2026, 11, 22))


def test_a_run_that_was_cut_short_is_not_enough() -> None:
    said, enough = table({"room": [(_ONE, {"state": "killed"}), (_TWO, None)]})
    assert "1 still to try" in said
    assert not enough


@pytest.mark.requirement("mutant-scores-stand-in-docs")
def test_every_equivalent_mutant_has_a_reason_on_the_page() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert all(reason.endswith(".") and reason in written for reason in EQUIVALENTS.values())


@pytest.mark.requirement("most-mutants-are-killed")
def test_the_page_tells_of_the_whole_sample_and_every_room_reaches_the_bar() -> None:
    row = re.compile(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| \d", re.MULTILINE)
    rows = {room: list(map(int, figures)) for room, *figures in row.findall(PAGE.read_text(encoding="utf-8"))}
    assert {room: tried for room, (tried, _, _) in rows.items()} == dict.fromkeys(ROOMS, 80)
    assert all(killed >= BAR * (tried - equivalent) for tried, killed, equivalent in rows.values())


def test_every_room_has_files_and_no_file_is_in_two_rooms() -> None:
    files = [path for room in ROOMS for path in files_of(room)]
    assert len(files) == len(set(files))
    assert all(list(files_of(room)) for room in ROOMS)
    assert SOURCE / "retrieval" / "verification.py" in files_of("access")
