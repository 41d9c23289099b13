"""Numbers as the format code of a cell shows them: sections, placeholders, percent, exponents, fractions, literals.

Separators are those of the code (1,234.50), whatever country the reader is in.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from types import MappingProxyType

LITERAL = r"\"[^\"]*\"?|\\.|\[\$[^\]]*\]|_.|\*.|\[[^\]]*\]"
"""What stands for itself or for no character: quoted and escaped text, currencies, colours, blanks, fillings."""

_TOKEN = re.compile(rf"{LITERAL}|General|[Ee][+-]|[#0?]|.", re.IGNORECASE | re.DOTALL)
_SECTION = re.compile(rf"(?:{LITERAL}|[^;])*", re.DOTALL)
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)\]")

_MOST_DECIMALS = 15
"""The decimal places that a double has."""

_DIGITS = 15
"""The significant digits of a number in a spreadsheet; the others of a double are noise (0.28499999999999998)."""

_EXACT = Context(prec=1_000, rounding=ROUND_HALF_UP)
"""Enough digits to write out every double, even with all the percent signs that a code may have."""

_GROUP = 3
_MARKS = frozenset("#0?")
"""The placeholders of digits."""

_COMPARED: MappingProxyType[str, Callable[[float, float], bool]] = MappingProxyType(
    {
        "<": lambda one, other: one < other,
        "<=": lambda one, other: one <= other,
        ">": lambda one, other: one > other,
        ">=": lambda one, other: one >= other,
        "=": lambda one, other: one == other,
        "<>": lambda one, other: one != other,
    }
)


def sections(code: str) -> list[str]:
    """The parts of a format code: for positive and negative numbers, zero and text, or for conditions."""
    found: list[str] = []
    at = 0
    while at <= len(code):
        match = _SECTION.match(code, at)
        end = len(code) if match is None else match.end()
        found.append(code[at:end])
        at = end + 1
    return found


def literal(mark: str) -> str:
    """What a literal of a format code shows."""
    match mark[0]:
        case '"':
            return mark.strip('"')
        case "\\":
            return mark[1:]
        case "[" if mark.startswith("[$"):
            return mark[2:-1].partition("-")[0]
        case "_":
            return " "
        case _:
            return ""


def masked(value: float, code: str, general: Callable[[float], str]) -> str:
    """A number as a format code shows it; `general` writes those parts for which the code gives no format."""
    section, signed = _section_for(value, sections(code))
    tokens = _TOKEN.findall(section)
    number = Decimal(f"{abs(value):.{_DIGITS}g}")
    sign = "-" if signed else ""
    if any(mark.casefold() == "general" or mark == "@" for mark in tokens):
        plain = general(abs(value))
        return sign + "".join(plain if mark.casefold() in {"general", "@"} else _shown(mark) for mark in tokens)
    marks = [index for index, mark in enumerate(tokens) if mark in _MARKS]
    if not marks:
        return "".join(map(_shown, tokens))
    number = number.scaleb(2 * tokens.count("%"), _EXACT)
    if any(mark[0] in "eE" and len(mark) > 1 and mark[1] in "+-" for mark in tokens):
        return sign + _scientific(number, tokens)
    if any(_is_bar(tokens, index) for index in range(marks[0] + 1, len(tokens) - 1)):
        return sign + _fraction(number, tokens)
    return sign + _positional(number, tokens)


def _section_for(value: float, parts: Sequence[str]) -> tuple[str, bool]:
    """The section for a number, and whether its sign has to be written."""
    conditions = [_CONDITION.search(part) for part in parts[:2]]
    if any(conditions):
        for part, condition in zip(parts, conditions, strict=False):
            if condition is not None and _COMPARED[condition[1]](value, float(condition[2])):
                return part, value < 0
        rest = [part for part, condition in zip(parts, conditions, strict=False) if condition is None]
        return [*rest, *parts[2:3], "General"][0], value < 0
    if value < 0 and len(parts) > 1:
        return parts[1], False
    if value == 0 and len(parts) > 2:  # noqa: PLR2004 - positive; negative; zero
        return parts[2], False
    return parts[0], value < 0


def _shown(mark: str) -> str:
    """What a mark shows that is no part of the number."""
    if len(mark) > 1:
        return literal(mark)
    return " " if mark == "?" else "" if mark in '#0,"\\[' else mark


@dataclass(frozen=True, slots=True)
class _Places:
    """The placeholders of a number by their index among the tokens: before and behind the point, and its own index."""

    whole: Sequence[int]
    decimals: Sequence[int]
    point: int | None


def _places(tokens: Sequence[str]) -> _Places:
    point = tokens.index(".") if "." in tokens else None
    marks = [index for index, mark in enumerate(tokens) if mark in _MARKS]
    if point is None:
        return _Places(marks, (), None)
    return _Places([index for index in marks if index < point], [index for index in marks if index > point], point)


def _positional(number: Decimal, tokens: list[str]) -> str:
    places = _places(tokens)
    marks = [*places.whole, *places.decimals]
    commas = [index for index, mark in enumerate(tokens) if mark == ","]
    grouped = any(places.whole and places.whole[0] < index < places.whole[-1] for index in commas)
    last = marks[-1]
    scale = 0
    while last + scale + 1 < len(tokens) and tokens[last + scale + 1] == ",":
        scale += 1
    if places.whole and places.decimals and not grouped:
        # Commas before the point scale as well: "#,.0".
        end = places.whole[-1]
        while tokens[end + 1] == ",":
            scale, end = scale + 1, end + 1
    number = number.scaleb(-_GROUP * scale, _EXACT)
    return "".join(_written(_rounded(number, len(places.decimals)), tokens, places, grouped=grouped))


def _rounded(number: Decimal, decimals: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-min(decimals, _MOST_DECIMALS)), context=_EXACT)


def _written(number: Decimal, tokens: Sequence[str], places: _Places, *, grouped: bool) -> Iterator[str]:
    """The tokens with the digits of a rounded number in their places."""
    whole, _, behind = f"{number:f}".partition(".")
    shown = {**_whole(whole.lstrip("0"), tokens, places.whole, grouped=grouped), **_behind(behind, tokens, places)}
    for index, mark in enumerate(tokens):
        if index in shown:
            yield shown[index]
        elif index == places.point:
            # Without a placeholder before the point, the whole number is shown there.
            yield whole.lstrip("0") + "." if not places.whole else "."
        else:
            yield _shown(mark)


def _whole(digits: str, tokens: Sequence[str], places: Sequence[int], *, grouped: bool) -> dict[int, str]:
    """The digits before the point by place, from the right; the first place takes all that are left."""
    shown: dict[int, str] = {}
    count = 0

    def with_group(digit: str) -> str:
        nonlocal count
        count += 1
        return f"{digit}," if grouped and count > 1 and count % _GROUP == 1 else digit

    left = digits
    for index in reversed(places):
        if left:
            shown[index], left = with_group(left[-1]), left[:-1]
        else:
            filler = {"0": "0", "?": " "}.get(tokens[index], "")
            shown[index] = with_group("0") if filler == "0" else filler
    if places:
        for digit in reversed(left):
            shown[places[0]] = with_group(digit) + shown[places[0]]
    return shown


def _behind(digits: str, tokens: Sequence[str], places: _Places) -> dict[int, str]:
    """The digits behind the point by place, without zeros at the end that no place asks for."""
    shown: dict[int, str] = {}
    digits = digits.ljust(len(places.decimals), "0")
    needed = len(digits.rstrip("0"))
    for at, index in enumerate(places.decimals):
        asked = at < needed or any(tokens[other] == "0" for other in places.decimals[at:])
        shown[index] = digits[at] if asked else " " if tokens[index] == "?" else ""
    return shown


def _scientific(number: Decimal, tokens: list[str]) -> str:
    at = next(index for index, mark in enumerate(tokens) if mark[0] in "eE" and mark[1:] in {"+", "-"})
    mantissa, behind = tokens[:at], tokens[at + 1 :]
    places = _places(mantissa)
    width = max(1, len(places.whole))
    exponent = 0 if not number else number.adjusted()
    exponent -= exponent % width if width > 1 else 0
    rounded = _rounded(number.scaleb(-exponent, _EXACT), len(places.decimals))
    if rounded >= 10**width:
        exponent += width
        rounded = _rounded(number.scaleb(-exponent, _EXACT), len(places.decimals))
    sign = "-" if exponent < 0 else "+" if tokens[at][1] == "+" else ""
    marks = [index for index, mark in enumerate(behind) if mark in _MARKS]
    shown = _whole(str(abs(exponent)).lstrip("0"), behind, marks, grouped=False)
    tail = "".join(shown.get(index, "") if index in marks else _shown(mark) for index, mark in enumerate(behind))
    return "".join(_written(rounded, mantissa, places, grouped=False)) + tokens[at][0].upper() + sign + tail


def _is_bar(tokens: Sequence[str], index: int) -> bool:
    between = tokens[index - 1] in _MARKS and (tokens[index + 1] in _MARKS or tokens[index + 1].isdigit())
    return tokens[index] == "/" and between


def _fraction(number: Decimal, tokens: list[str]) -> str:
    """A number as a whole and a fraction, "1 1/2"; the code says how many digits, or which denominator."""
    bar = next(index for index in range(1, len(tokens)) if _is_bar(tokens, index))
    last = bar
    while last + 1 < len(tokens) and (tokens[last + 1] in _MARKS or tokens[last + 1].isdigit()):
        last += 1
    first = bar
    while first > 0 and tokens[first - 1] in _MARKS:
        first -= 1
    whole_marks = [index for index, mark in enumerate(tokens[:first]) if mark in _MARKS]
    named = "".join(tokens[bar + 1 : last + 1])
    exact = Fraction(number)
    if named.isdigit() and int(named):  # a denominator, not places
        part = Fraction(round(exact * int(named)), 1)
        numerator, denominator = int(part), int(named)
    else:
        nearest = exact.limit_denominator(10 ** max(1, len(named)) - 1)
        numerator, denominator = nearest.numerator, nearest.denominator
    whole, numerator = divmod(numerator, denominator) if whole_marks else (0, numerator)
    parts = [f"{numerator}/{denominator}"] if numerator or not whole_marks else []
    if whole or not parts:
        parts.insert(0, str(whole))
    before = "".join(map(_shown, tokens[: whole_marks[0] if whole_marks else first]))
    return f"{before}{' '.join(parts)}{''.join(map(_shown, tokens[last + 1 :]))}"
