"""The kind of value that a question asks for, such as a price or a phone number, and whether a text gives one.

A question about a thing that the documents describe, for a fact about it that they do not have, finds passages as
relevant as those of a question that has an answer. But a passage without an amount of money does not say what anything
costs. Only kinds of values that have a form of their own are recognized.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from citemark.model.sources import AllowedSources
from citemark.retrieval.names import candidates_in
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.retrievers import ScoredCandidate

_LOOKED_AT = 10
"""Candidates whose texts are read: as many hits as a result has by default, and more."""


@dataclass(frozen=True, slots=True)
class ValueKind:
    """A kind of value: its name with an article, how questions ask for it, and what it looks like in a text."""

    name: str
    asked: re.Pattern[str]
    form: re.Pattern[str]

    def is_in(self, text: str) -> bool:
        """Whether a text gives such a value."""
        return self.form.search(text) is not None


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE | re.IGNORECASE)


_CURRENCY = (
    r"(?:[\u20ac$\u00a3\u00a5]|(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK)\b|euros?\b|dollars?\b|pounds?\b|francs?\b"
    r"|franken\b|cents?\b|pence\b|kronen\b|kroner\b)"
)

_KINDS = (
    ValueKind(
        "an amount of money",
        _words(
            r"""
              \b(?:what|how\s+much)\s(?:[^?.!]*\s)?(?:do(?:es)?|did|will|would|may|can|could)\s[^?.!]*\bcost\b
            | \bhow\s+much\s+(?:is|are|was|were)\s+(?:the|an?|our|my|his|her|their|this|that|it)\b | \bhow\s+expensive\b
            | \b(?:price|fee)s?\s+(?:of|for)\b | \bwhat\s+(?:is|are|was|were)\s+the\s+(?:\w+\s+)?(?:price|fee)s?\b
            | \bkostete?n?\b | \bwie\s+teuer\b | \b(?:preis|geb\u00fchr)(?:e|en)?\s+(?:f\u00fcr|von|der|des)\b
            | \bco\u00fbte(?:nt)?\b | \bquel(?:le)?s?\s+(?:est|sont)\s+le(?:s)?\s+(?:prix|tarifs?)\b
            | \bcuestan?\b | \bqu\u00e9\s+precio\b | \bcosta(?:no)?\b | \bprezzo\s+di\b | \bprijs\s+van\b
            """
        ),
        _words(
            rf"""
              {_CURRENCY}\s?\d | \d\s?(?:k|m|mio\.?|million(?:en)?)?\s?{_CURRENCY}
            | \b(?:free\s+of\s+charge|(?:is|are|for|completely)\s+free|no\s+(?:charge|cost))\b
            | \b(?:kosten(?:los|frei)|gratis|umsonst|gratuit\w*)\b
            | \b(?:costs?|prices?|total|amount|paid|rent|fee|deposit|kosten|kostete?|preis|summe|betrag|bezahlt|miete)\b
              \W{{0,3}}(?:[^\W\d]+\W{{1,2}}){{0,2}}\d
            | \d\s?(?:/\s?|(?:an?|per|each|every|pro|im|je)\s)(?:month|monat|night|nacht|hour|stunde|year|jahr|kopf)\b
            """
        ),
    ),
    ValueKind(
        "a phone number",
        _words(
            r"""
              \b(?:tele)?phone\s+(?:number|extension)\b | \btelephone\b | \b(?:fax|mobile|cell)\s+number\b
            | \b(?:telefon|handy|mobil|ruf|fax)nummer\b | \bdurchwahl\b
            | \bnum\u00e9ro\s+de\s+t\u00e9l\u00e9phone\b | \bn\u00famero\s+de\s+tel\u00e9fono\b
            | \bnumero\s+di\s+telefono\b | \btelefoonnummer\b
            """
        ),
        _words(
            r"""
              (?<![\w.,])(?:\+|\(?0)\d[\d\s()/.-]{4,}\d | (?<![\w.,-])\d{3,4}[\s-]\d{3}[\s-]?\d{3,4}(?![\w-])
            | \b(?:phone|tel|telefon|fax|mobile|mobil|ext|extension|durchwahl)\b\W{0,3}\d{2,}
            """
        ),
    ),
    ValueKind(
        "an e-mail address",
        _words(
            r"""
              \be-?mail[\s-]address(?:es)?\b | \bmail[\s-]address(?:es)?\b | \be?-?mail-?adressen?\b
            | \badresse\s+(?:e-?mail|\u00e9lectronique)\b | \bcorreo\s+electr\u00f3nico\b | \bindirizzo\s+e-?mail\b
            | \be-?mailadres\b
            """
        ),
        _words(r"[\w.+-]+@[\w-]+\.\w | \[at\] | \(at\)"),
    ),
    ValueKind(
        "a postal address",
        _words(
            r"""
              \b(?:postal|mailing|street|home|delivery)\s+address(?:es)?\b | \b(?:post|liefer|haus)?anschrift(?:en)?\b
            | \bpostadresse\b | \badresse\s+postale\b | \bdirecci\u00f3n\s+postal\b
            | \bindirizzo\s+postale\b | \bpostadres\b
            """
        ),
        re.compile(
            r"\b\d{4,6}\s+[A-Z\u00c4\u00d6\u00dc]\w+|\b\w+(?:stra(?:\u00df|ss)e|str\.|weg|platz|gasse|allee|laan|straat)\s*\d+"
            r"|\b\d+\w?,?\s+(?:rue|avenue|boulevard|via|calle)\b|\b(?:Calle|Via|Rua)\s+\w+"
            r"|\b\d+\w?\s+(?:[A-Z]\w*\.?\s+){1,3}(?:St|Street|Ave|Avenue|Rd|Road|Ln|Lane|Dr|Drive|Blvd|Boulevard|Way|Square"
            r"|Court|Suite)\b|\bP\.?\s?O\.?\s?Box\b|\bPostfach\b|\b[A-Z]{1,2}\d[\dA-Z]?\s\d[A-Z]{2}\b|\b[A-Z]{2}\s+\d{5}\b"
        ),
    ),
    ValueKind(
        "an account number",
        _words(r"\biban\b | \b(?:bank\s+)?account\s+number\b | \bkontonummer\b | \bnum\u00e9ro\s+de\s+compte\b"),
        re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,}|(?<!\d)\d{6,12}(?!\d)"),
    ),
)


def kind_asked_for(question: str) -> ValueKind | None:
    """The kind of value that a question asks for, if it is one that has a form."""
    return next((kind for kind in _KINDS if kind.asked.search(question)), None)


async def lacking_value(
    search: SearchIndex,
    allowed: AllowedSources,
    question: str,
    candidates: Sequence[ScoredCandidate],
    unknown: Collection[str],
) -> str:
    """In words, the kind of value that a question asks for if none of the best candidates gives one; else "".

    If any of these passages has a name of the question, only passages with one count: the phone number of somebody else
    answers nothing. Nothing is read for a question that asks for no such value.

    Args:
        search: the index.
        allowed: the sources that the candidates are from.
        question: the question.
        candidates: best first.
        unknown: the names in the question that no document writes.
    """
    kind = kind_asked_for(question)
    best = candidates[:_LOOKED_AT]
    if kind is None or not best:
        return ""
    chunks = await search.read(allowed, [each.chunk_id for each in best])
    texts = [f"{chunk.title}\n{chunk.context}\n{chunk.text}" for chunk in chunks.values()]
    names = [name for name in candidates_in(question) if name.text not in unknown]
    about = [text for text in texts if any(name.stands_in(text) for name in names)]
    return "" if any(kind.is_in(text) for text in about or texts) else f"no passage found for it gives {kind.name}"
