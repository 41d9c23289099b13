"""Counts in words for people: "1 document", "1,204 documents"."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun; the plural adds an s unless it is given."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
