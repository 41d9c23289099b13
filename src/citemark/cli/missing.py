"""What a result lacks, as commands show it: in the first line of a text."""

from citemark.cli.styled import Styled, StyledText
from citemark.services.responses import ResponseMeta
from citemark.text.escaping import one_line


def with_missing(text: Styled, meta: ResponseMeta) -> Styled:
    """A text that begins with what the result lacks, if that forbids calling anything absent."""
    if meta.reading.line:
        text.lines.insert(0, (StyledText(one_line(meta.reading.line)),))
    return text
