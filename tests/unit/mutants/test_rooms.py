"""Which files are mutated."""

from tests.mutants.rooms import ROOMS, SOURCE


def test_every_pattern_of_a_room_names_a_file() -> None:
    """A file that moved would no longer be mutated, and nobody would notice."""
    patterns = [(room, pattern) for room, patterns in ROOMS.items() for pattern in patterns]
    assert [found for found in patterns if not any(SOURCE.glob(found[1]))] == []
