"""Reasoning between tags is taken out of an answer, and nothing else is."""

import pytest

from citemark.text.reasoning import without_reasoning

ANSWER = "The port is 4711 [1].\n\nIt is set in `serve`."


@pytest.mark.requirement("small-untruths-are-mended")
@pytest.mark.parametrize(
    "written",
    [
        f"<think>The user asks.\n\nPerhaps [2].</think>{ANSWER}",
        f"\n<THINK>\nx\n</THINK>\n\n{ANSWER}\n",
        f"<thinking>a</thinking>\n<thinking>b</thinking>\n{ANSWER}",
        f"The user asks for a port.\n\nSo:\n</think>\n\n{ANSWER}",
        f"◁think▷x◁/think▷{ANSWER}",
        f"[THINK]x[/THINK]{ANSWER}",
        f"{ANSWER}\n<think>Is that all? (cut off",
    ],
)
def test_only_the_answer_is_left(written: str) -> None:
    assert without_reasoning(written) == ANSWER


@pytest.mark.parametrize(
    "written",
    [
        ANSWER,
        "The template writes `<think>` before the answer and `</think>` behind it [1].",
        "Write </think> on a line of its own to end it [1].",
        "A <think> tag that is not closed hides nothing [1].",
    ],
)
def test_an_answer_about_tags_keeps_them(written: str) -> None:
    assert without_reasoning(written) == written


@pytest.mark.parametrize("written", ["<think>all of it", "<think>all</think>\n", "x\n</think>\n"])
def test_an_answer_of_nothing_but_reasoning_is_empty(written: str) -> None:
    assert without_reasoning(written) == ""
