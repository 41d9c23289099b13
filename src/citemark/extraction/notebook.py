"""Converts Jupyter notebooks to text with spans: the text and the code of their cells, without outputs.

Source: nbformat 4 and 3, "The Notebook file format".
"""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from citemark.extraction.decoding import decoded
from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.noise import quieted
from citemark.extraction.office import nothing_in
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted
from citemark.model.unread_parts import UnreadPart, added_up

_BROKEN = "The notebook is broken, or is another kind of file than its name says. Save it again, or get it again."
_DEEPEST = 6
"""The deepest heading level."""

_FENCE = re.compile(r"^[^\S\n]*+(`{3,})", re.MULTILINE)


def extract_notebook(data: bytes, *, fallback_title: str) -> Extracted:
    """Convert a notebook to one Markdown text: text cells as they are written, code cells fenced.

    Raises:
        SkippableSourceError: the file is not a notebook, or contains neither text nor code.
    """
    try:
        text = decoded(data)
        book: Any = json.loads(text.text)
    except (ValueError, RecursionError):
        raise SkippableSourceError(_BROKEN) from None
    if not isinstance(book, dict) or not {"cells", "worksheets"} & book.keys():
        raise SkippableSourceError(_BROKEN)
    whole = cast("dict[str, Any]", book)
    language = _language(whole.get("metadata"))
    parts = [part for cell in _cells(whole) if (part := _text(cell, language))]
    if not parts:
        raise SkippableSourceError(nothing_in("notebook"))
    # A first cell in the form of front matter, as Quarto writes it, is read as that.
    read = quieted("\n\n".join(parts) + "\n")
    found = read.apart(extract_markdown(read.text, fallback_title=fallback_title))
    left_out = added_up(part for cell in _cells(whole) for part in _left_out(cell))
    metadata = {"language": language} if language else {}
    return replace(found, metadata=metadata, read_as=text.read_as, left_out=left_out)


def _left_out(cell: dict[str, Any]) -> Iterable[UnreadPart]:
    """The outputs of a cell, and the pictures that are stored in it."""
    outputs, pictures = cell.get("outputs"), cell.get("attachments")
    return (
        UnreadPart("output of a code cell", sum(1 for _ in _dicts(outputs))),
        UnreadPart("image without text", len(cast("dict[str, Any]", pictures)) if isinstance(pictures, dict) else 0),
    )


def _cells(book: dict[str, Any]) -> Iterable[dict[str, Any]]:
    sheets = [book, *_dicts(book.get("worksheets"))]
    return (cell for sheet in sheets for cell in _dicts(sheet.get("cells")))


def _dicts(value: Any) -> Iterable[dict[str, Any]]:
    entries = cast("list[Any]", value) if isinstance(value, list) else []
    return (cast("dict[str, Any]", entry) for entry in entries if isinstance(entry, dict))


def _text(cell: dict[str, Any], language: str) -> str:
    """The text of a cell; format 3 calls code `input` and has heading cells."""
    content: Any = cell.get("source", cell.get("input", ""))
    lines = cast("list[Any]", content) if isinstance(content, list) else [content]
    text = "".join(line for line in lines if isinstance(line, str))
    source = text.replace("\r\n", "\n").strip("\n")
    if not source.strip():
        return ""
    match cell.get("cell_type"):
        case "code":
            ticks = max([3, *(len(fence) + 1 for fence in _FENCE.findall(source))])
            return f"{'`' * ticks}{language}\n{source}\n{'`' * ticks}"
        case "heading":
            level: Any = cell.get("level")
            marks = "#" * (level if isinstance(level, int) and 0 < level <= _DEEPEST else 1)
            return f"{marks} {' '.join(source.split())}"
        case _:
            return source


def _language(metadata: Any) -> str:
    """The language of the code as a fence names it, or "" if the metadata does not name one."""
    info = cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {}
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        entry: Any = info.get(key)
        found: Any = cast("dict[str, Any]", entry).get(name) if isinstance(entry, dict) else None
        if isinstance(found, str) and re.fullmatch(r"[A-Za-z0-9+#_.-]{1,30}", found):
            return found
    return ""
