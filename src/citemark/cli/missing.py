"""What a result lacks, as commands show it: in JSON, and in the first line of a text."""

from typing import Any

from citemark.cli.styled import Styled, StyledText
from citemark.services.responses import ResponseMeta
from citemark.text.escaping import one_line


def missing_data(meta: ResponseMeta) -> dict[str, Any]:
    """What has not been read or confirmed, and why a result is empty; no fields if neither is the case."""
    return {
        **({"incomplete": dict(meta.reading.incomplete)} if meta.reading.incomplete else {}),
        **({} if meta.empty is None else {"empty_reason": meta.empty.reason, "empty_message": meta.empty.text}),
    }


def with_missing(text: Styled, meta: ResponseMeta) -> Styled:
    """A text that begins with what the result lacks, if that forbids calling anything absent."""
    if meta.reading.line:
        text.lines.insert(0, (StyledText(one_line(meta.reading.line)),))
    return text
