"""Cards as servers answer them: one odd entry or time costs itself, and is shown or counted."""

from collections.abc import Mapping
from typing import Any

import pytest

from citemark.features.nextcloud.source.deck.boards import CardPosition
from citemark.features.nextcloud.source.deck.card_text import card_text
from citemark.features.nextcloud.source.deck.cards import card_of
from citemark.model.unread_parts import in_words

SOUND: Mapping[str, Any] = {
    "id": 7,
    "stackId": 2,
    "title": "Kiln",
    "description": "Fire it.",
    "labels": [{"title": "hot"}],
    "assignedUsers": [{"participant": {"uid": "ada", "displayname": "Ada"}}],
    "attachments": [],
    "duedate": "2026-03-01T10:00:00+00:00",
}


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"labels": [7, {"title": "hot"}]}, "Labels: hot"),
        ({"assignedUsers": [None, *SOUND["assignedUsers"]]}, "Assigned to: Ada"),
        ({"attachments": ["x"]}, "Assigned to: Ada"),
        ({"duedate": "next Tuesday"}, 'Due: "next Tuesday" (as it is written)'),
        ({"done": 5}, 'Done: "5" (as it is written)'),
    ],
)
def test_an_odd_entry_of_a_card_costs_that_entry(odd: Mapping[str, Any], said: str) -> None:
    card = card_of({**SOUND, **odd})
    found = card_text(card, CardPosition("3", "Works", "2", "To do", board_archived=False), [], [])
    assert f"- {said}" in found.body
    assert "Fire it." in found.body
    assert in_words(found.left_out) == "1 property that cannot be read"


def test_another_time_that_cannot_be_read_makes_another_version() -> None:
    versions = {card_of({**SOUND, "duedate": written}).version for written in ("soon", "later", None)}
    assert len(versions) == 3
