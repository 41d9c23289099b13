"""The page on answers tells what there is."""

from pathlib import Path
from typing import get_args

import pytest

from citemark.answering.ways import WayName
from citemark.model.completions import Reason
from citemark.settings import Settings

PAGE = Path(__file__).resolve().parents[3] / "docs" / "answers.md"


@pytest.mark.requirement("answer-fallback-is-documented")
def test_the_page_names_every_way_every_failure_and_every_setting_with_its_default() -> None:
    page = PAGE.read_text("utf-8")
    for word in (*get_args(WayName), *get_args(Reason)):
        assert f"`{word}`" in page
    for name, field in Settings.model_fields.items():
        if name.startswith("answer_"):
            row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` | `CITEMARK_{name.upper()}`"))
            assert field.default is None
            assert row.split(" | ")[2] == "none"
