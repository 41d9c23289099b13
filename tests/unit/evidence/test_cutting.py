"""One passage is cut to its room so that what is left is complete in itself."""

from collections.abc import Sequence

import pytest

from citemark.evidence.budget import EvidenceLimits
from citemark.evidence.cutting import Filled, PassageCutter, announces
from citemark.evidence.scoring import question_tokens, tokens_among

STEPS = "\n".join(
    f"- Step {number} turns valve V{number} until the gauge stands at {number} bar." for number in range(40)
)
LISTED = f"A pump is started in the order of the plan.\n\nThe valves are opened as follows:\n\n{STEPS}\n\nThen it runs."


def cut(text: str, question: str, room: int, usual: int | None = None, *, whole_lists: bool = False) -> Filled:
    wanted = question_tokens(question)

    def rate(_: int, spans: Sequence[str]) -> list[float]:
        return [float(len({token.text for token in tokens_among(span, wanted)})) for span in spans]

    cutter = PassageCutter(0, text, "", EvidenceLimits(whole_lists=whole_lists))
    found = cutter.quote(rate, room, usual=usual or room, must=True)
    assert found is not None
    return found


@pytest.mark.requirement("lists-keep-their-lead-in")
def test_a_run_in_the_middle_of_a_list_brings_the_sentence_that_introduces_it() -> None:
    found = cut(LISTED, "V20", 300)
    assert "valve V20" in found.shown
    assert found.header == "The valves are opened as follows:"
    assert found.size <= 300
    assert found.more == 40 - found.shown.count("- Step")


@pytest.mark.requirement("lists-keep-their-lead-in")
def test_a_run_that_begins_with_the_first_item_begins_with_its_lead_in_instead() -> None:
    found = cut(LISTED, "V0", 110)
    assert found.shown.startswith("The valves are opened as follows:\n\n- Step 0")
    assert not found.header


@pytest.mark.requirement("announced-lists-follow")
@pytest.mark.parametrize(
    "announcing",
    ["Open these valves:", "The following valves are opened.", "Folgende Ventile werden geöffnet:", "**Valves:**"],
)
def test_a_run_does_not_end_before_what_it_announces(announcing: str) -> None:
    text = f"{'The hall is kept dry at all times. ' * 12}\n\n{announcing}\n\n{STEPS}"
    found = cut(text, "dry hall", 520)
    assert not announces(found.shown.splitlines()[-1])
    found = cut(text, announcing, 300, usual=len(announcing))
    assert "- Step 0" in found.shown
    assert found.size <= 300


def test_an_announcement_in_front_of_a_sentence_takes_that_sentence_alone() -> None:
    text = f"Note this:\n\nThe hall is dry. {'Nothing else matters here at all. ' * 30}"
    assert cut(text, "note", 300, usual=20).shown == "Note this:\n\nThe hall is dry."


def test_an_announced_table_brings_its_rows() -> None:
    rows = "".join(f"| V{number} | {number} bar |\n" for number in range(60))
    text = f"Valves open at these pressures:\n\n| valve | opens at |\n|---|---|\n{rows}"
    found = cut(text, "pressures", 200, usual=40)
    assert "| V0 | 0 bar |" in found.shown
    assert found.more == 60 - found.shown.count(" bar |")


@pytest.mark.requirement("whole-lists")
@pytest.mark.parametrize("question", ["V20", "valves opened"])
def test_the_list_that_is_asked_for_is_quoted_as_far_as_there_is_room(question: str) -> None:
    short = LISTED.replace(STEPS, "\n".join(STEPS.split("\n")[:20]))
    found = cut(short, question.replace("V20", "V12"), 2_400, usual=300, whole_lists=True)
    assert (found.shown.count("- Step"), found.more) == (20, 0)
    found = cut(LISTED, question, 1_000, usual=300, whole_lists=True)
    assert found.size <= 1_000
    assert found.more == 40 - found.shown.count("- Step") > 0


def test_front_matter_and_tags_around_the_words_are_not_quoted() -> None:
    text = '---\ntitle: "Valves"\n---\n\n<div className="flex gap-2">\n<Badge>\n\nThe valve opens at 3 bar.\n\n</div>'
    assert cut(text, "valve", 800).shown == "The valve opens at 3 bar."


def test_a_passage_of_front_matter_or_tags_alone_is_quoted_only_for_want_of_anything_else() -> None:
    for text in ('---\ntitle: "Valves"\n---\n', '<div className="flex">\n<Icon name="valve" />\n</div>'):
        cutter = PassageCutter(0, text, "", EvidenceLimits())
        assert not cutter.says_something
        assert cutter.quote(lambda _, spans: [0.0] * len(spans), 800, usual=800, must=False) is None


@pytest.mark.parametrize(
    ("text", "announcing"),
    [
        ("**Decision.**", True),
        ("**Why**:", True),
        ("**Decision.** No.", False),
        ("**All of it.** And __more__", False),
        ("Open these:", True),
        ("The following apply.", True),
        ("Die folgenden Regeln gelten.", True),
        ("Les options suivantes :", True),
        ("It opens at 3 bar.", False),
        ("The following. But this ends it.", False),
    ],
)
def test_a_sentence_announces_by_a_colon_or_by_its_words(text: str, announcing: bool) -> None:
    assert announces(text) == announcing


@pytest.mark.parametrize("room", [435, 470, 2_000])
def test_a_run_does_not_end_with_a_run_in_heading(room: int) -> None:
    text = (
        f"{'The hall is kept dry at all times. ' * 12}\n\n**Decision.** {'Nothing else matters here. ' * 9}\n\n**Why.**"
    )
    assert not cut(text, "dry hall", room).shown.endswith("**")
