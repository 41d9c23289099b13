"""Languages by name, and the scripts that are matched by pairs of characters.

Names are in lower-case English, like the names of PostgreSQL's text search configurations.
"""

import re

UNKNOWN = "simple"
"""The language of a source that was added as `simple`: words are indexed as written, and no language is shown."""

# fmt: off
_NAMES: dict[str, tuple[str, ...]] = {
    "afrikaans": ("af", "afr"), "albanian": ("sq", "sqi", "alb"), "arabic": ("ar", "ara"),
    "armenian": ("hy", "hye", "arm"), "azerbaijani": ("az", "aze"), "basque": ("eu", "eus", "baq"),
    "belarusian": ("be", "bel"), "bengali": ("bn", "ben"), "bosnian": ("bs", "bos"), "bulgarian": ("bg", "bul"),
    "burmese": ("my", "mya", "bur"), "catalan": ("ca", "cat"), "chinese": ("zh", "zho", "chi", "cmn", "yue", "wuu"),
    "croatian": ("hr", "hrv"), "czech": ("cs", "ces", "cze"), "danish": ("da", "dan"), "dutch": ("nl", "nld", "dut"),
    "english": ("en", "eng"), "estonian": ("et", "est"), "filipino": ("tl", "fil", "tgl"), "finnish": ("fi", "fin"),
    "french": ("fr", "fra", "fre"), "galician": ("gl", "glg"), "georgian": ("ka", "kat", "geo"),
    "german": ("de", "deu", "ger"), "greek": ("el", "ell", "gre"), "gujarati": ("gu", "guj"),
    "hebrew": ("he", "heb", "iw"), "hindi": ("hi", "hin"), "hungarian": ("hu", "hun"),
    "icelandic": ("is", "isl", "ice"), "indonesian": ("id", "ind"), "irish": ("ga", "gle"), "italian": ("it", "ita"),
    "japanese": ("ja", "jpn"), "kannada": ("kn", "kan"), "kazakh": ("kk", "kaz"), "khmer": ("km", "khm"),
    "korean": ("ko", "kor"), "lao": ("lo", "lao"), "latvian": ("lv", "lav"), "lithuanian": ("lt", "lit"),
    "macedonian": ("mk", "mkd", "mac"), "malay": ("ms", "msa", "may"), "malayalam": ("ml", "mal"),
    "marathi": ("mr", "mar"), "mongolian": ("mn", "mon"), "nepali": ("ne", "nep"),
    "norwegian": ("no", "nor", "nb", "nob", "nn", "nno"), "persian": ("fa", "fas", "per"), "polish": ("pl", "pol"),
    "portuguese": ("pt", "por"), "punjabi": ("pa", "pan"), "romanian": ("ro", "ron", "rum"), "russian": ("ru", "rus"),
    "serbian": ("sr", "srp"), "sinhala": ("si", "sin"), "slovak": ("sk", "slk", "slo"), "slovenian": ("sl", "slv"),
    "spanish": ("es", "spa"), "swahili": ("sw", "swa"), "swedish": ("sv", "swe"), "tamil": ("ta", "tam"),
    "telugu": ("te", "tel"), "thai": ("th", "tha"), "turkish": ("tr", "tur"), "ukrainian": ("uk", "ukr"),
    "urdu": ("ur", "urd"), "vietnamese": ("vi", "vie"), "welsh": ("cy", "cym", "wel"), "yiddish": ("yi", "yid"),
}
# fmt: on
_BY_CODE = {code: name for name, codes in _NAMES.items() for code in codes}
DENSE_LANGUAGES = frozenset({"burmese", "chinese", "japanese", "khmer", "korean", "lao", "thai"})
"""Languages written in scripts without spaces between words."""

_SUBTAG = re.compile(r"[-_.]")


def language_named(name: str) -> str | None:
    """The language with this code ("de", "pt-BR", "zh_Hans", "deu") or English name ("German").

    None for anything else, since front matter may also say `language: python`.
    """
    word = name.strip().lower()
    return word if word in _NAMES else _BY_CODE.get(_SUBTAG.split(word, maxsplit=1)[0])


def language_names() -> tuple[str, ...]:
    """The names of all known languages, sorted."""
    return tuple(_NAMES)


def language_codes() -> frozenset[str]:
    """All known language codes."""
    return frozenset(_BY_CODE)


def configuration_for(language: str) -> str:
    """The text search configuration with which to read a language, provided that the server has it.

    Text in a script without spaces is cut into character pairs, which no stemmer touches; the Latin words in such text
    are nearly always English. A language for which the server has no configuration is read as `simple`.
    """
    return "english" if language in DENSE_LANGUAGES else language


DENSE = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff"  # Myanmar
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul: has spaces, but particles are attached to words
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "]+"
)
"""A run of characters of scripts that are matched by pairs of characters."""

INVISIBLE = "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Soft hyphens, joiners, places to break and marks of direction: they occur inside words but are not part of them."""


def character_pairs(run: str) -> list[str]:
    """The overlapping pairs of neighbouring characters in a run; a single character is returned as it is."""
    return [run[index : index + 2] for index in range(len(run) - 1)] or [run]
