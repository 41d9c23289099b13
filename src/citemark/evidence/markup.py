"""What a reader of a page does not see as it is written: tags, entities, comments, names of blocks, left-out data."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from citemark.text.markdown import is_block, is_markup
from citemark.text.marks import STRUCK, box_of
from citemark.text.raised import MARKED, in_characters

_VALUE = r"\"[^\"]{0,4096}\"|'[^']{0,4096}'|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,999}\}){0,999}\}){0,4096}\}"
_ATTRIBUTE = rf"[\w:@.-]++(?:\s*=\s*(?:{_VALUE}|[^\s\"'{{}}<>=`]++))?+|\{{[^{{}}]{{0,999}}\}}"
_TAG = re.compile(rf"</?([A-Za-z][\w.:-]*+)((?:\s++(?:{_ATTRIBUTE}))*+)\s*+/?>")
_TITLE = re.compile(r"\s(?:title|label|summary)\s*=\s*(?:\{\s*)?(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_BEHIND_SIGN = (
    r"(?P<code>(?<=`)`*+)|(?P<tag>(?<=<)/?[A-Za-z])|(?P<comment>(?<=<)!--)|(?P<fragment>(?<=<)/?>)"
    r"|(?P<script>(?<=\{)/\*)|(?P<note>(?<=%)%)"
    r"|(?P<entity>(?<=&)(?:#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z]{2,31}\d{0,2});)"
    r"|(?P<anchor>(?:(?<=[ \t]\^)|(?<=^\^))[A-Za-z0-9][A-Za-z0-9-]{0,63}[ \t]*(?=\r?$))"
)
# Both begin with a set of signs, to which the engine can skip; most texts have no gaps.
_TOKEN = re.compile(rf"[`<{{%&^](?:{_BEHIND_SIGN})", re.MULTILINE)
_TOKEN_OR_GAP = re.compile(rf"[`<{{%&^ ](?:{_BEHIND_SIGN}|(?P<gap>(?<= ) {{63,}}))", re.MULTILINE)
_GAP = " " * 64
_CLOSED_BY = {"comment": "-->", "script": "*/}", "note": "%%"}

_REST_OF_TAG = re.compile(
    rf"\s*(?:[^<>\"\n]{{0,200}}\"(?=[\s/>]))?\s*(?:[\w:@.-]+\s*=\s*(?:{_VALUE})\s*){{0,64}}/?>", re.DOTALL
)
"""How a passage begins that was cut inside a tag."""

_BEGIN_OF_TAG = re.compile(r"<[A-Za-z][\w.:-]*\s[^<>]*=[^<>]*\Z")
"""How a passage ends that was cut inside a tag."""

_PLACED = re.compile(MARKED, re.IGNORECASE)
_WITH_MEANING = re.compile(
    r"<(?:(?P<sign>su[bp])|/?(?P<struck>del|s|strike)|(?P<box>input))\b(?P<rest>[^<>]*)>", re.IGNORECASE
)
_LONGEST_CUT_TAG = 4_000
_PARTS_WORDS = re.compile(r"(?:br|td|th|tr|li|p|div|hr|h[1-6]|dt|dd|ul|ol|table|section|summary)$", re.IGNORECASE)
_NAME_OF_BLOCK = re.compile(r"\^(?=[A-Za-z0-9-]*[A-Za-z])")
_ENDS_SENTENCE = frozenset(".!?:)]\"'")


@dataclass(frozen=True, slots=True)
class Replaced:
    """A range of a text and what a reader sees in its place."""

    start: int
    end: int
    shown: str


def replaced_in(text: str, start: int, end: int) -> Iterator[Replaced]:
    """The places between two positions, outside code, that are not seen as written, in order and never overlapping."""
    at = start
    if start == 0 and (rest := _REST_OF_TAG.match(text, 0, min(end, _LONGEST_CUT_TAG))) and _is_rest(rest[0]):
        yield Replaced(0, rest.end(), "")
        at = rest.end()
    missing: set[str] = set()
    pattern = _TOKEN_OR_GAP if _GAP in text else _TOKEN
    while (token := pattern.search(text, at, end)) is not None:
        at = token.end()
        kind = token.lastgroup or ""
        if kind == "code":
            close = re.compile(rf"(?<!`){token[0]}(?!`)").search(text, at, end) if token[0] not in missing else None
            if close is None:
                missing.add(token[0])
            else:
                at = close.end()
            continue
        found = _replaced(text, token, kind, end, missing)
        if found is not None:
            yield found
            at = max(at, found.end)


def _replaced(text: str, token: re.Match[str], kind: str, end: int, missing: set[str]) -> Replaced | None:
    """What is seen in place of what a token begins, or None if it is seen as it is written."""
    match kind:
        case "comment" | "script" | "note":
            return _comment(text, token, _CLOSED_BY[kind], end, missing)
        case "tag":
            return _of_tag(text, token.start(), end)
        case "anchor" if not _names_block(text, token):
            return None
        case "entity":
            return Replaced(*token.span(), html.unescape(token[0]))
        case _:
            return Replaced(*token.span(), " " if kind == "gap" else "")


def _comment(text: str, token: re.Match[str], mark: str, end: int, missing: set[str]) -> Replaced | None:
    close = -1 if mark in missing else text.find(mark, token.end(), end)
    if close >= 0:
        return Replaced(token.start(), close + len(mark), "")
    missing.add(mark)
    return None


def _of_tag(text: str, start: int, end: int) -> Replaced | None:
    placed = _PLACED.match(text, start, end) if text[start + 1] in "sS" else None
    return Replaced(*placed.span(), in_characters(placed)) if placed is not None else _of_other_tag(text, start, end)


def _of_other_tag(text: str, start: int, end: int) -> Replaced | None:
    tag = _TAG.match(text, start, end)
    if tag is None:
        cut = _BEGIN_OF_TAG.match(text, start) if len(text) - start <= _LONGEST_CUT_TAG else None
        return Replaced(start, len(text), "") if cut is not None and end == len(text) else None
    name, attributes = tag[1], tag[2]
    with_values = "=" in attributes or "{" in attributes
    closing = text.startswith("</", start)
    if not (with_values or (closing and f"<{name}" in text) or "-" in name or is_markup(f"<{name}>")):
        return None
    if not closing and not with_values and text[start - 1 : start].isalnum() and name[:1].isupper():
        return None  # a type with a parameter, such as List<String>
    shown = _meaning_of(tag[0])
    if shown is None:
        title = _TITLE.search(attributes) if is_block(name) and not closing else None
        words = (title[1] or title[2] or "").strip() if title is not None else ""
        shown = _apart(text, start, tag.end(), words, parts=_PARTS_WORDS.match(name) is not None)
    return Replaced(start, tag.end(), shown)


def _meaning_of(tag: str) -> str | None:
    """The mark for a tag that strikes out, raises or lowers the text behind it, or is a box; None for any other."""
    found = _WITH_MEANING.fullmatch(tag)
    if found is None:
        return None
    if found["sign"]:
        return "^" if found["sign"][-1] in "pP" else "_"
    if found["struck"]:
        return STRUCK
    return box_of(found["rest"]) if "checkbox" in found["rest"].lower() else None


def _apart(text: str, start: int, end: int, shown: str, *, parts: bool) -> str:
    """What is shown for a tag, apart from the words beside it if the tag parts them on the page."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    if shown:
        left = " " if before and not before.isspace() else ""
        return f"{left}{shown}{' ' if behind and not behind.isspace() else ''}"
    return " " if parts and before.isalnum() and behind.isalnum() else ""


def _names_block(text: str, token: re.Match[str]) -> bool:
    """Whether a mark at the end of a line names the block for links to it, rather than being an exponent."""
    if _NAME_OF_BLOCK.match(token[0]) is None:
        return False
    line = text[text.rfind("\n", 0, token.start()) + 1 : token.start()].rstrip()
    return not line or line[-1] in _ENDS_SENTENCE or (len(token[0].strip()) > 2 and len(line.split()) > 2)  # noqa: PLR2004


def _is_rest(found: str) -> bool:
    """Whether a beginning is the rest of a tag: it has a value in quotes or braces before the sign that closes it."""
    return "=" in found or (found.lstrip()[:1] not in ("", ">", "/") and found.count('"') == 1)
