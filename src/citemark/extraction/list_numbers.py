"""The letters and Roman numerals by which lists count their items."""

_LETTERS = 26

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip

_LARGEST_ROMAN = 4_000
"""Roman numerals end below this number; larger ones are written in digits."""


def letters(number: int) -> str:
    """The letters for a number: a to z, then aa to zz, since Word repeats the letter."""
    if number < 1:
        return str(number)
    return chr(ord("a") + (number - 1) % _LETTERS) * min(9, (number - 1) // _LETTERS + 1)


def roman(number: int) -> str:
    """The Roman numeral of a number, in small letters; in digits if there is none."""
    if not 0 < number < _LARGEST_ROMAN:
        return str(number)
    numeral = ""
    for value, letters in _ROMAN:
        numeral += letters * (number // value)
        number %= value
    return numeral
