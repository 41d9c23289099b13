"""Text as the full-text index sees it: identifiers are indexed whole and in their parts.

Questions pass through the same function, so an identifier that stands in a text always meets itself.
"""

import re

# Every pattern over whole texts is linear: a line of a megabyte without a blank must not stop the index.
_RUN = re.compile(r"[\w:./\\@#+-]+")
_MARK = "_:./\\@#+-"
_MARKS = re.compile(r"[_:./\\@#+-]+")
_MAYBE_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_CAMEL = re.compile(r"[^\W\d_]*[a-z][A-Z][^\W_]*|[A-Z]{2,}[a-z][^\W_]*")
_CAMEL_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST = 200


def split_identifiers(text: str) -> str:
    """The parts and the joined form of every compound identifier in `text`, separated by blanks.

    `max_connections` gives "max connections maxconnections", `OrderService` gives "Order Service".
    """
    extra: list[str] = []
    for run in _RUN.finditer(text):
        word = run.group().strip(_MARK)
        if word.isalnum() and word[1:].islower():
            # Nearly every word: no mark inside and no capital to split at.
            continue
        parts = [part for part in _MARKS.split(run.group()) if part]
        if len(parts) > 1 and len(run.group()) <= _LONGEST:
            extra.extend(parts)
            extra.append("".join(parts))
        for part in parts:
            extra.extend(_camel_parts(part[:_LONGEST]))
    return " ".join(extra)


def _camel_parts(word: str) -> list[str]:
    if _MAYBE_CAMEL.search(word) is None:
        return []
    return [piece for match in _CAMEL.finditer(word) for piece in _CAMEL_EDGE.split(match.group())]


def lexical(text: str) -> str:
    """What goes into `to_tsvector`: the text and, in addition, its split identifiers."""
    extra = split_identifiers(text)
    return f"{text}\n{extra}" if extra else text
