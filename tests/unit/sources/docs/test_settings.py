"""What the settings of a folder take."""

from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from citemark.model.ids import NativeId
from citemark.sources.docs.settings import DocsSettings


@pytest.mark.requirement("names-compare-as-read")
@pytest.mark.parametrize(("pattern", "path"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_pattern_and_a_path_match_with_letters_composed_or_not(
    pattern: Literal["NFC", "NFD"], path: Literal["NFC", "NFD"]
) -> None:
    wanted, kept = normalize(pattern, "B\u00fcro/*.log"), NativeId(normalize(path, "B\u00fcro/a.log"))
    assert DocsSettings(Path("/docs"), include=(wanted,)).takes(kept)
    assert not DocsSettings(Path("/docs"), include=("*.log",), exclude=(wanted,)).takes(kept)
