"""Libraries are loaded without what they can do without."""

import gc
import importlib
import sys

import pytest

from citemark.app.lean_imports import absent, uncollected


def test_a_package_is_missing_during_the_block_and_can_be_loaded_after_it() -> None:
    sys.modules.pop("wave", None)
    with absent("wave"), pytest.raises(ImportError):
        importlib.import_module("wave")
    assert importlib.import_module("wave").__name__ == "wave"


def test_a_package_that_is_loaded_stays_so() -> None:
    with absent("json"):
        assert importlib.import_module("json") is sys.modules["json"]
    assert "json" in sys.modules


def test_nothing_is_collected_during_the_block_and_what_it_leaves_is_not_looked_at_again() -> None:
    try:
        with uncollected():
            assert not gc.isenabled()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_a_process_that_collects_nothing_is_left_so() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
        assert gc.get_freeze_count() == 0
    finally:
        gc.enable()
