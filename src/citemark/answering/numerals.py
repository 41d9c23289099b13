"""Numbers that are written as words, in English and German."""

from types import MappingProxyType

# fmt: off
_ENGLISH = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_ENGLISH_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_GERMAN = (
    "null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
    "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
)
_GERMAN_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
# fmt: on
_TEN = 10
LARGE = MappingProxyType(
    {"dozen": 12, "dutzend": 12, "hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000}
)
"""Words that count others ("two hundred"), and stand for about as many where they stand alone."""

SECOND_WORD = "|".join((*_ENGLISH[1:_TEN], "dozen", "dutzend", "hundred", "thousand"))
"""What may follow a first number word as part of the same number."""


def _values() -> dict[str, int]:
    values = {word: value for value, word in enumerate(_ENGLISH)}
    values |= {word: value for value, word in enumerate(_GERMAN)} | {"eins": 1}
    for places, tens in enumerate(zip(_ENGLISH_TENS, _GERMAN_TENS, strict=True), start=2):
        values |= dict.fromkeys(tens, _TEN * places)
        for ones in range(1, _TEN):
            values[f"{tens[0]} {_ENGLISH[ones]}"] = values[f"{_GERMAN[ones]}und{tens[1]}"] = _TEN * places + ones
    for word, value in LARGE.items():
        values[word] = value
        for ones in range(1, len(_ENGLISH)):
            values[f"{_ENGLISH[ones]} {word}"] = values[f"{_GERMAN[ones]}{word}"] = ones * value
    values |= {"a dozen": 12, "ein dutzend": 12}
    del values["ein"]  # an article far more often than a number
    return values | {word.replace("ß", "ss"): value for word, value in values.items() if "ß" in word}


_VALUES = MappingProxyType(_values())


def number_of(words: str) -> int | None:
    """The value of one or two number words, folded; None for other words."""
    return _VALUES.get(words.replace("-", " "))
