"""What a question asks for by a noun, such as "which newsletter" or "how many litres", and whether nothing mentions it.

A question about a thing that the documents describe, for a fact about it that they do not have, finds passages as
relevant as those of a question that has an answer. But where many pages never use the noun that is asked for, they
seldom say which one it is. They may, in other words: what is told is that the noun occurs nowhere, and nothing else.
"""

import re
from collections.abc import Sequence

_FEW_CHUNKS = 200
"""Fewer passages use few words, so that an answer is often put in another one: on 28 pages, 4 of 66 questions asked for
a noun that occurs nowhere, on larger sets 1 of 744 (tests/data/asked, names, unanswered and the test collections)."""

_LEAST_ROOT = 3
"""Letters: shorter ones begin or end words of any meaning."""

_ENDINGS = ("es", "s", "en", "n")
"""Of plurals, which the longer word need not have: "nuts" stands in "hazelnut"."""

_ASKS = (
    r"which|what(?!\s+(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)\b)"
    r"|how\s+(?:many|much)|welche[nmrs]?|wie\s?viele?|quel(?:le)?s?|combien\s+de|cu[a\u00e1]nt[ao]s|quant[ie]|qual[ei]"
    r"|welke?|hoeveel"
)
_VERBS = (
    r"is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|ist|sind|war|waren|hat"
    r"|haben|kann|k\u00f6nnen|wird|werden|darf|soll|est|sont|a|ont|peut|es|son|tiene|\u00e8|sono|ha|zijn|heeft|kan"
)
_STOPS = (
    r"we|i|you|they|it|he|she|the|an?|our|your|their|its|his|her|my|of|for|in|into|on|at|to|from|by|with|that|who|when"
    r"|if|as|be|der|die|das|den|dem|ein|eine|wir|ich|man|von|f\u00fcr|zu|bei|mit|le|la|les|un|une|de|du|des|il|el|los"
    r"|las|het|een|van"
)
_WORDS = r"(?P<words>(?:[\w'\u2019/-]+\s+){1,9}?)"
_NAMED = re.compile(rf"\b(?:{_ASKS})\s+{_WORDS}(?:(?P<verb>{_VERBS})|{_STOPS})\b", re.IGNORECASE)
_DESCRIBED = re.compile(
    rf"\bwhat\s+(?:is|are|was|were)\s+(?:the|our|your|my|their|an?)\s+{_WORDS}(?P<verb>of|for|in|on|at|to|that|by|with)\b",
    re.IGNORECASE,
)


def asked_for(question: str) -> frozenset[str]:
    """The words of the nouns that a question asks for, as they are spelled in it.

    Without an auxiliary verb behind them, the last word is taken for the verb, as in "which courier collects the" and
    "what happens if"; a single word behind "which" is not.
    """
    found: set[str] = set()
    for match in (*_NAMED.finditer(question), *_DESCRIBED.finditer(question)):
        words = match["words"].split()
        ends_in_verb = not match["verb"] and (len(words) > 1 or match.group().casefold().startswith("what"))
        found |= {*(words[:-1] if ends_in_verb else words)}
    return frozenset(part for word in found for part in (word, *re.split(r"[/-]", word)))


def stands_in_longer_word(word: str, texts: Sequence[str]) -> bool:
    """Whether a word of these texts begins or ends with this one: who reads "Hazelnut" has read of nuts."""
    whole = word.casefold()
    roots = [whole, *(whole.removesuffix(ending) for ending in _ENDINGS if whole.endswith(ending))]
    known = "|".join(re.escape(root) for root in roots if len(root) >= _LEAST_ROOT)
    longer = re.compile(rf"\b(?:{known})\w|\w(?:{known})(?:{'|'.join(_ENDINGS)})?\b") if known else None
    return longer is not None and any(longer.search(text.casefold()) for text in texts)


def unmentioned_things(phrasings: Sequence[str], absent: Sequence[str], chunks: int) -> tuple[str, ...]:
    """The words that a question asks for and that nothing mentions.

    Of a question in several phrasings nothing is said: others may have the documents' own word.

    Args:
        phrasings: of the question.
        absent: the words of the question that no document has.
        chunks: how many passages could be read.
    """
    if len(phrasings) != 1 or chunks < _FEW_CHUNKS or not absent:
        return ()
    asked = asked_for(phrasings[0])
    return tuple(word for word in absent if word in asked)
