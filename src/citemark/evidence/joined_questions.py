"""The parts of a question that asks two things at once, such as "how long is the warranty and who grants it?".

Two documents may answer it, and neither is as near to the whole question as to its own part.
"""

import re

from citemark.evidence.scoring import question_tokens

_LEAST_WORDS = 2
"""A part with fewer words, such as "and why?", finds nothing by itself."""

_MOST_PARTS = 3
"""Each part is searched for; a longer list of questions is better asked one by one."""

_ASKS = (
    r"what|which|who|whom|whose|when|where|why|how|was|welche[nmrs]?|wer|wen|wem|wann|wo|woher|wohin|warum|wieso|wie"
    r"|wieviel|quel(?:le)?s?|qui|quand|o\u00f9|pourquoi|comment|combien|qu\u00e9|cu\u00e1l(?:es)?|qui\u00e9n(?:es)?"
    r"|cu\u00e1ndo|d\u00f3nde|c\u00f3mo|cu\u00e1nt[ao]s?|che|qual[ei]|chi|quando|dove|perch\u00e9|come|quant[aeio]|wat"
    r"|welke?|wie|wanneer|waar|waarom|hoe|hoeveel"
)
_BEFORE = (
    r"(?:(?:for|in|into|within|at|by|to|from|of|on|with|after|until|bis|f\u00fcr|innerhalb|nach|von|mit|dans|de|en"
    r"|para|per|met|voor)\s+)?"
)
_JOINT = re.compile(
    rf"[,;]?\s+(?:and|or|und|oder|et|ou|y|e|o|en|of)\s+(?:also\s+|auch\s+|aussi\s+)?(?={_BEFORE}(?:{_ASKS})\b)",
    re.IGNORECASE,
)


def parts_asked(question: str) -> tuple[str, ...]:
    """The parts of a question that are questions themselves; none if it asks one thing.

    A part follows "and" and begins with a word that asks. If one of the parts says too little, there are none.
    """
    parts = [part.strip() for part in _JOINT.split(question)]
    if not 1 < len(parts) <= _MOST_PARTS or any(len(question_tokens(part)) <= _LEAST_WORDS for part in parts):
        return ()
    return tuple(parts)
