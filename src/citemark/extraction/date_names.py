"""Names of months and days in the language that a format code asks for ("[$-407]" is German)."""

import re
from dataclasses import dataclass
from types import MappingProxyType

_LOCALE = re.compile(r"\[\$[^\]-]*-(?:([0-9A-Fa-f]{3,8})|([A-Za-z]{2})[\w-]*)\]")
_PRIMARY = 0x3FF
"""The bits of a Windows locale that are its language; the others are its country."""


@dataclass(frozen=True, slots=True)
class DateNames:
    """The names of months and of days from Monday on, in full and short."""

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    short_days: tuple[str, ...]

    @classmethod
    def of(cls, months: str, short_months: str, days: str, short_days: str) -> "DateNames":
        """The names from lists with spaces between."""
        return cls(*(tuple(names.split()) for names in (months, short_months, days, short_days)))


_ENGLISH = DateNames.of(
    "January February March April May June July August September October November December",
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "Mon Tue Wed Thu Fri Sat Sun",
)
_BY_CODE = MappingProxyType({0x07: "de", 0x0A: "es", 0x0C: "fr", 0x10: "it", 0x13: "nl", 0x16: "pt"})
_NAMES = MappingProxyType({
    "de": DateNames.of(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "Mo Di Mi Do Fr Sa So",
    ),
    "es": DateNames.of(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sep oct nov dic",
        "lunes martes miércoles jueves viernes sábado domingo",
        "lun mar mié jue vie sáb dom",
    ),
    "fr": DateNames.of(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv févr mars avr mai juin juil août sept oct nov déc",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lun mar mer jeu ven sam dim",
    ),
    "it": DateNames.of(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        "lun mar mer gio ven sab dom",
    ),
    "nl": DateNames.of(
        "januari februari maart april mei juni juli augustus september oktober november december",
        "jan feb mrt apr mei jun jul aug sep okt nov dec",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        "ma di wo do vr za zo",
    ),
    "pt": DateNames.of(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "jan fev mar abr mai jun jul ago set out nov dez",
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "seg ter qua qui sex sáb dom",
    ),
})  # fmt: skip


def names_of(code: str) -> DateNames:
    """The names that a format code asks for: English, unless it names another of these languages."""
    found = _LOCALE.search(code)
    if found is None:
        return _ENGLISH
    language = found[2].lower() if found[2] else _BY_CODE.get(int(found[1], 16) & _PRIMARY, "")
    return _NAMES.get(language, _ENGLISH)


def number_of_month(name: str) -> int | None:
    """The number of a month by its full or short name in any of these languages; None for another word."""
    sought = name.casefold().rstrip(".")
    for names in (_ENGLISH, *_NAMES.values()):
        for months in (names.months, names.short_months):
            for number, month in enumerate(months, 1):
                if month.casefold() == sought:
                    return number
    return None
