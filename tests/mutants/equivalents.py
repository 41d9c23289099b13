"""Mutants that no test can kill, since what they change makes no difference that anybody could see; each with why."""

from collections.abc import Mapping
from types import MappingProxyType

EQUIVALENTS: Mapping[str, str] = MappingProxyType(
    {
        "87f8e9bbffd6": "The heuristic acts from 200 signs on, and 80 of a value are compared.",
        "a9836b9b12f6": "Where a token was given there, nobody else is served, and the answer says nothing of tokens.",
        "65d1b91d8316": "Both lists are of the same pieces, so their lengths never differ.",
        "17c55413aa54": "Without stems, the cited documents cover as much as the others in either case.",
        "019f5f959504": "Where the total is nothing there are no stems, and nothing is divided by it.",
        "48cee341581b": "Every round of questions has one answer, so the two lengths never differ.",
        "853a81283d3f": "A denial ends where a word does, so that no word begins at that very sign.",
        "d2dabe3a8910": "The largest end is taken, and what `<=` adds is the end that is taken where there is none.",
        "424c3b1b0566": "At the floor nothing is cut before the citation, one step beyond it neither.",
        "b35f7fce472c": "Half a unit always has a length, and what has one is shown as it is written, in words or not.",
        "36509558cab4": "One more place that nothing reads or writes.",
        "579dbb91c560": "Nothing reads what is given back by whom a failure is told to.",
        "eb0978e88b47": "The name says that the argument is not used, whatever it is given.",
    }
)
"""By the id that `make mutants` prints."""
