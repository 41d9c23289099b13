"""Words with opposites, in English and German."""

import re

_OPPOSITES = (
    (r"enabl\w*|aktiviert", r"disabl\w*|deaktiviert"),
    (r"required?|mandatory|obliged|must", r"optional|voluntary"),
    (r"inclu\w*|count(?:s|ed)?", r"exclu\w*"),
    (r"allow\w*|permit\w*|accept\w*", r"disallow\w*|prohibit\w*|forbid\w*|forbidden|reject\w*"),
    (r"public\w*", r"private\w*"),
    (r"always", r"never"),
)
_PAIRS = tuple(tuple(re.compile(rf"\b(?:{side})\b", re.IGNORECASE) for side in pair) for pair in _OPPOSITES)


def opposed(one: str, other: str) -> bool:
    """True when one text has only one of two opposite words and the other text only the other."""
    for pair in _PAIRS:
        here, there = [[bool(word.search(text)) for word in pair] for text in (one, other)]
        if sum(here) == 1 and sum(there) == 1 and here != there:
            return True
    return False


def has_opposite(word: str) -> bool:
    """Whether a word is one of two that are opposites."""
    return any(side.fullmatch(word) for pair in _PAIRS for side in pair)
