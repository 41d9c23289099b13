"""Scripts whose words are not told apart by spaces: they are matched by pairs of characters, everywhere alike."""

import re

DENSE = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff"  # Myanmar
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul: spaced, but a particle hangs on every word
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "]+"
)
"""A run of characters of such scripts."""

INVISIBLE = "\u200c\u200d\u00ad"
"""Joiners and soft hyphens: they stand inside words and are no part of them."""


def character_pairs(run: str) -> list[str]:
    """Each two neighbours of a run, overlapping; a character alone stays alone."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
