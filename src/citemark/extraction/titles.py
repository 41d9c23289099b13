"""What the properties of a file say about it, as far as it is worth repeating."""

import re

_FROM_A_PROGRAM = re.compile(
    r"microsoft (?:word|powerpoint|excel)\b.*|(?:powerpoint presentation|word document|untitled|unbenannt|"
    r"ohne titel|sans titre|sin título|senza titolo|document|dokument|presentation|präsentation|title|titel|slide|"
    r"folie)[\s\d()-]*",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"\S+\.\w{2,5}", re.IGNORECASE)
_LEAST_LETTERS = 3
_LONGEST_TITLE = 200
_BETWEEN_TAGS = re.compile(r"[,;\n]")
_MOST_TAGS = 50
_PDF_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?")


def sensible_title(stored: str) -> str:
    """The title of a file's properties; "" where a program and no author chose it."""
    title = " ".join(stored.replace("\x00", " ").split())[:_LONGEST_TITLE]
    letters = sum(map(str.isalpha, title))
    if letters < _LEAST_LETTERS or _FROM_A_PROGRAM.fullmatch(title) or _FILE_NAME.fullmatch(title):
        return ""
    return title


def tags_of(keywords: str) -> tuple[str, ...]:
    """The keywords of a file's properties, one by one."""
    parts = (" ".join(part.replace("\x00", " ").split()) for part in _BETWEEN_TAGS.split(keywords))
    return tuple(dict.fromkeys(part for part in parts if part))[:_MOST_TAGS]


def pdf_date(stored: str) -> str:
    """The day of a PDF's date as ISO 8601 writes it; "" when it is none."""
    match = _PDF_DATE.match(stored)
    return "-".join(part for part in match.groups() if part) if match else ""
