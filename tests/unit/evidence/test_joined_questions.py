"""A question that asks two things at once has parts, and each is looked for."""

import pytest
from tests.support.in_memory_services import InMemoryWorld

from citemark.evidence.joined_questions import parts_asked


@pytest.mark.requirement("both-parts")
@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How long is the warranty, and who grants extensions?",
            ("How long is the warranty", "who grants extensions?"),
        ),
        (
            "When does the depot open and in which street does it stand?",
            ("When does the depot open", "in which street does it stand?"),
        ),
        (
            "Wie lange gilt die Garantie und wer genehmigt Ausnahmen?",
            ("Wie lange gilt die Garantie", "wer genehmigt Ausnahmen?"),
        ),
        (
            "Quel est le prix du billet et quand part le train ?",
            ("Quel est le prix du billet", "quand part le train ?"),
        ),
        ("How long is the warranty?", ()),
        ("What do hotels and meals cost?", ()),
        ("How is the valve opened, and why?", ()),
        ("What is a and what is b and what is c and what is d?", ()),
    ],
)
def test_a_part_begins_with_a_word_that_asks_behind_and(question: str, parts: tuple[str, ...]) -> None:
    assert parts_asked(question) == parts


@pytest.mark.requirement("both-parts", "both-sides-of-golden-questions")
async def test_both_parts_of_a_question_are_quoted() -> None:
    world = InMemoryWorld()
    world.stores.put(world.docs, "warranty.md", "The warranty of a pump lasts thirty months from delivery.")
    for name in ("seals", "hoses", "filters"):
        world.stores.put(world.docs, f"{name}.md", f"The warranty of {name} lasts four months, that of pumps longer.")
    world.stores.put(world.docs, "returns.md", "Parcels are inspected in the yard by the porter.")
    question = "How long does the warranty of a pump last and who inspects parcels?"
    found = await world.quote(question)
    assert {"warranty.md", "returns.md"} <= {quote.section_id for quote in found.quotes}
