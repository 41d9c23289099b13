"""Counting what a function does, where a clock would measure what else the machine does."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def operations(function: Callable[[], object]) -> int:
    """Lines of Python that a call runs, the same on every machine however busy it is.

    Lines inside functions called are counted; the inside of C code is not. A regular expression that backtracks without
    end shows as a test that never finishes: give it a text so long that only linear work ends within the time limit.
    """
    count = 0
    measuring = False  # slipcover at work on the code that runs: what it does is no work of the function

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count, measuring
        if measuring:
            return None
        if frame.f_globals.get("__name__", "").startswith("slipcover"):
            measuring = True
            return until_measured
        if event == "line":
            count += 1
        return trace

    def until_measured(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal measuring
        measuring = event != "return"
        return until_measured

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
