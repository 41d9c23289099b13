"""What all user actions share: a user, a choice among what exists, and whether anything was done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tests.nextcloud.actions.marks import Marks
from tests.nextcloud.world import World

T = TypeVar("T")
USERS = ("alice", "bob", "carol")


@dataclass(frozen=True, slots=True)
class Turn:
    """Who acts, and two numbers that choose among what exists."""

    world: World
    marks: Marks
    user: str
    pick: int
    other: int

    def one(self, choices: Sequence[T]) -> T | None:
        """One of the choices; None where there are none."""
        return choices[self.pick % len(choices)] if choices else None

    def another(self, choices: Sequence[T]) -> T:
        """A second choice, from what is never empty."""
        return choices[self.other % len(choices)]

    @property
    def friend(self) -> str:
        """Another user."""
        return self.another([user for user in USERS if user != self.user])

    def text(self, lines: int = 3) -> str:
        """A text with a mark of its own; every fifth one has none of the usual letters around it."""
        mark = self.marks.new()
        around = "ملاحظة قصيرة عن المشروع" if self.other % 5 == 0 else "A plain line about the project."
        return f"{around} {mark}\n" + f"{around}\n" * (lines - 1)

    def title(self) -> str:
        return f"Title {self.marks.new()}"


Action = Callable[[Turn], bool]
"""Does something as the turn's user; returns False if there was nothing to do it to."""

Actions = Mapping[str, Action]
