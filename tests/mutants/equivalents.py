"""Mutants that no test can kill, because nobody could see a difference; each with the reason."""

from collections.abc import Mapping
from types import MappingProxyType

EQUIVALENTS: Mapping[str, str] = MappingProxyType(
    {
        "87f8e9bbffd6": "The heuristic applies from 200 characters on, and only 80 of a value are compared.",
        "a9836b9b12f6": "If a token was given there, nobody else is served, and the response does not mention tokens.",
        "65d1b91d8316": "Both lists are made from the same pieces, so their lengths never differ.",
        "17c55413aa54": "Without stems, the cited documents cover as much as the others in either case.",
        "019f5f959504": "If the total is zero there are no stems, and nothing is divided by it.",
        "48cee341581b": "Each round of checks has one result, so the two lengths never differ.",
        "853a81283d3f": "A denial ends at the end of a word, so no word begins at that character.",
        "d2dabe3a8910": "The largest end is used, and `<=` only adds the value that is used if there is none.",
        "424c3b1b0566": "At the minimum nothing is cut before the citation, and neither is it one step beyond.",
        "b35f7fce472c": "Half a unit always has a length, and what has a length is shown as written, in words or not.",
        "36509558cab4": "It adds an element that nothing reads or writes.",
        "579dbb91c560": "Nothing reads the return value of the callback for failures.",
        "eb0978e88b47": "The argument is not used, as its name says.",
    }
)
"""By the id that `make mutants` prints."""
