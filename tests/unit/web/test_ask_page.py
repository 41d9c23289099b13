"""Answers as pages show them."""

from typing import get_args

import pytest

from citemark.answering.checked import Standing
from citemark.web.ask_page import remark_on


@pytest.mark.requirement("unsupported-is-visible")
def test_every_sentence_without_support_has_a_remark_and_no_other_has() -> None:
    assert {each for each in get_args(Standing) if not remark_on(each)} == {"supported", "no_claim"}
