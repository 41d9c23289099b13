"""Words with opposites, in English, German and French."""

import re

_OPPOSITES = (
    (r"enabl\w*|aktiviert|activée?s?", r"disabl\w*|deaktiviert|désactivée?s?"),
    (r"required?|mandatory|obliged|must", r"optional|voluntary"),
    (r"inclu\w*|count(?:s|ed)?", r"exclu\w*"),
    (
        r"allow\w*|permit\w*|accept\w*|erlaubt|zulässig|autorisée?s?|permise?s?",
        r"disallow\w*|prohibit\w*|forbid\w*|forbidden|reject\w*|verboten|untersagt|unzulässig|interdite?s?",
    ),
    (r"public\w*", r"private\w*"),
    (r"always|immer|toujours", r"never|nie|niemals|jamais"),
    (r"first|erste[nmrs]?|premi(?:er|ère)s?", r"last|letzte[nmrs]?|derni(?:er|ère)s?"),
    (r"open(?:s|ed)?|offen|geöffnet|ouverte?s?", r"closed?|geschlossen|fermée?s?"),
    (r"at\s+least|mindestens|au\s+moins", r"at\s+most|höchstens|au\s+plus"),
    (r"before|vor", r"after|nach"),
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
