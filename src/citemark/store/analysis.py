"""Text as the full-text index sees it: identifiers are indexed whole and in their parts.

Questions pass through the same function, so an identifier that stands in a text always meets itself.
"""

import re

# Letters and digits joined by the marks that identifiers are made of.
_COMPOUND = re.compile(r"[^\W_]+(?:[_:./\\@#+-]+[^\W_]+)+")
_CAMEL = re.compile(r"[^\W\d_]*[a-z][A-Z][^\W_]*|[A-Z]{2,}[a-z][^\W_]*")
_CAMEL_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARKS = re.compile(r"[_:./\\@#+-]+")
_LONGEST = 200


def split_identifiers(text: str) -> str:
    """The parts and the joined form of every compound identifier in `text`, separated by blanks.

    `max_connections` gives "max connections maxconnections", `OrderService` gives "Order Service".
    """
    extra: list[str] = []
    for match in _COMPOUND.finditer(text):
        word = match.group()
        if len(word) > _LONGEST:
            continue
        parts = _MARKS.split(word)
        extra.extend(parts)
        extra.append("".join(parts))
    for match in _CAMEL.finditer(text):
        extra.extend(_CAMEL_EDGE.split(match.group()[:_LONGEST]))
    return " ".join(extra)


def lexical(text: str) -> str:
    """What goes into `to_tsvector`: the text and, in addition, its split identifiers."""
    extra = split_identifiers(text)
    return f"{text}\n{extra}" if extra else text
