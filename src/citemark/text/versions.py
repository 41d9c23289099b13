"""Versions: when two passages tell a reader the same, and which of them represents both."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from citemark.text.markdown import Fence, fence_at, is_only_tags, is_titled_tag
from citemark.text.opposites import has_opposite

_TARGET = re.compile(r"(?<=\])\([^()\s]*\)|^[ \t]*\[[^\]\n]+\]:[ \t]*\S+", re.MULTILINE)
"""The target of a link."""

_MARK = re.compile(r"\[[ xX]\]|\||[^\s|]+")
"""A box, ticked or not, the border of a cell, or a word."""

_KEPT = frozenset({"|", "[ ]", "[x]", "[X]"})
_BEFORE = "([\"'*_>#\u201c\u2018"
_AFTER = ".,;:!?)]\"'*_\u201d\u2019"
_MOST_CHANGED = 0.1
"""The largest share of words that may differ: enough for a reworded sentence of a section, not for another section."""

_PREFIX = 3
"""The most letters of a syllable that reverses a word: "un", "non", "in", "de"."""

# fmt: off
_DECISIVE = frozenset({
    "no", "not", "none", "never", "nor", "neither", "without", "cannot", "unless", "except", "only", "all", "any",
    "every", "some", "must", "shall", "should", "may", "might", "can", "could", "required", "recommended", "optional",
    "deprecated", "removed", "before", "after", "more", "less", "than", "least", "most", "yes", "true", "false", "on",
    "off", "up", "down", "first", "last", "start", "starts", "stop", "stops", "open", "opens", "close", "closes",
    "closed", "active", "inactive", "primary", "secondary", "replica", "minimum", "maximum", "increase", "increases",
    "decrease", "decreases", "internal", "external", "add", "adds", "remove", "removes", "succeeds", "fails", "read",
    "write", "deny", "denies", "both", "either",
    "nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals", "ohne", "nur", "alle", "jede", "jeder", "muss",
    "m\u00fcssen", "soll", "sollen", "darf", "d\u00fcrfen", "kann", "k\u00f6nnen", "au\u00dfer", "mehr", "weniger",
    "ne", "pas", "jamais", "sans", "aucun", "aucune", "seulement", "tous", "toutes", "doit", "doivent", "peut",
    "peuvent", "sauf", "plus", "moins",
})
# fmt: on
"""Words that reverse or limit what a sentence says."""


class PassageWords:
    """The words of a passage on a page, to tell whether a reader of another passage learns nothing from it."""

    def __init__(self, source: Hashable, path: str, text: str) -> None:
        """Take the passage.

        Args:
            source: what the source and the kind of document are told apart by.
            path: of the page, in its source.
            text: with the header row of a table that it continues.
        """
        self.path = path
        self.page = (source, unversioned(path))
        words = _TARGET.sub(" ", "\n".join(_read_lines(text)))
        self.words = words.split()
        self.marks = [mark for each in _MARK.findall(words) if (mark := _bare(each)) and "://" not in mark]

    def repeats(self, other: "PassageWords") -> bool:
        """Whether both say the same: in equal words, or, on two versions of one page, in nearly equal ones."""
        if self.words == other.words:
            return True
        versions = self.page == other.page and self.path != other.path
        return versions and _nearly_equal(self.marks, other.marks)


def _read_lines(text: str) -> Iterator[str]:
    """The lines of a text without those that consist of tags outside code: a reader does not see them."""
    code: Fence | None = None
    for line in text.split("\n"):
        bare = line.strip()
        if code is not None:
            code = None if code.is_closed_by(bare) else code
        elif is_only_tags(bare) and not is_titled_tag(bare):
            continue
        else:
            code = fence_at(bare)
        yield line


def _bare(mark: str) -> str:
    """A word without the punctuation around it; "" if it is nothing else."""
    return mark if mark in _KEPT else mark.lstrip(_BEFORE).rstrip(_AFTER)


def _is_plain(word: str) -> bool:
    """Whether a word is not a number, identifier or name: a row about Anna is not a version of one about Fritz."""
    return word.isalpha() and word == word.lower()


def _reverses(one: str, other: str) -> bool:
    """Whether one of two words is the other behind a syllable such as "un"."""
    short, long = sorted((one, other), key=len)
    return long.endswith(short) and 0 < len(long) - len(short) <= _PREFIX


def _nearly_equal(one: list[str], other: list[str]) -> bool:
    """Whether two versions of a passage say the same.

    Only few words may differ. None of them may be a number, a date, an identifier, a name, the mark of a table or list,
    or a word that reverses or limits a statement, and none may also occur in both texts: "client" in place of "server"
    is not a rewording if both texts mention both.
    """
    most = _MOST_CHANGED * min(len(one), len(other))
    if abs(len(one) - len(other)) > most or len(set(one) ^ set(other)) > 2 * most:
        return False
    removed, added = Counter(one) - Counter(other), Counter(other) - Counter(one)
    changed = removed | added
    if max(removed.total(), added.total()) > most:
        return False
    if any(word in _DECISIVE or not _is_plain(word) or has_opposite(word) for word in changed):
        return False
    if any(_reverses(old, new) for old in removed for new in added):
        return False
    if any(word in one and word in other for word in changed):
        return False
    return [word for word in one if word not in changed] == [word for word in other if word not in changed]


_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_NUMBER = re.compile(r"v?(\d{1,4}(?:\.\d{1,4})+)")
_DRAFT = "draft"
_NAME = re.compile(r"[\w.-]*\w")


def is_version(name: str) -> bool:
    """Whether a part of a path names a version and nothing else."""
    return name == _DRAFT or bool(_DATE.fullmatch(name) or _NUMBER.fullmatch(name))


def unversioned(path: str) -> str:
    """A path without the parts that name a version: equal for the versions of a page."""
    *folders, name = path.casefold().split("/")
    stem, dot, suffix = name.rpartition(".")
    kept = [folder for folder in folders if not is_version(folder)]
    return "/".join([*kept, *([] if is_version(name) else [dot + suffix if is_version(stem) else name])])


def is_versioned(path: str) -> bool:
    """Whether a part of a path names a version."""
    return unversioned(path) != path.casefold()


Standing = tuple[bool, bool, str, tuple[int, ...]]
"""The rank of a version as a sort key: whether it is named, whether it is not a draft, its date, its number."""


class VersionOrder:
    """Decides which version of a page represents all: the one a question names, else the newest; drafts come last."""

    def __init__(self, phrasings: Iterable[str] = ()) -> None:
        """Take the question and its further phrasings."""
        self._named = {word for phrasing in phrasings for word in _NAME.findall(phrasing.casefold())}

    def standing(self, path: str, dated: str) -> Standing:
        """The rank of the page at `path`, whose own date is `dated` or ""; a date in the path takes precedence."""
        parts = path.casefold().split("/")
        names = {*parts, parts[-1].rpartition(".")[0]}
        dates = {name for name in names if _DATE.fullmatch(name)}
        numbers = {match[1] for name in names if (match := _NUMBER.fullmatch(name))}
        drafts = {_DRAFT} & names
        named = not self._named.isdisjoint({*dates, *numbers, *(f"v{number}" for number in numbers), *drafts})
        version = max((tuple(map(int, number.split("."))) for number in numbers), default=())
        return named, not drafts, max(dates, default=dated[:10]), version
