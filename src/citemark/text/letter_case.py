"""One spelling for words that differ only in case, as patterns with re.IGNORECASE see it."""

_DOTS = str.maketrans({"\u0130": "i", "\u0131": "i"})
"""The capital I with a dot and the small i without one: re.IGNORECASE takes both for an i, str.casefold neither."""


def caseless(text: str) -> str:
    """`text` in the spelling in which to look up what a pattern has matched without regard to case.

    It may be longer than `text` (ß becomes ss), so offsets do not stay valid.
    """
    return text.lower() if text.isascii() else text.translate(_DOTS).casefold()
