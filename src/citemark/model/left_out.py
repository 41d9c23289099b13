"""What a source holds and does not index, counted by reason."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

_MOST_KINDS = 6
"""Suffixes or folders that a line names; a source may have hundreds."""


class LeftOutReason(StrEnum):
    """Why a file is not indexed. Each file of a source is indexed, failed, or counted under exactly one of these."""

    IGNORED = "ignored"
    FOLDER = "folder"
    HIDDEN = "hidden"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not_included"
    TYPE = "type"
    SECRET = "secret"  # noqa: S105 - a reason
    LOCK_FILE = "lock_file"
    GENERATED = "generated"
    PAGE_PART = "page_part"
    TEMPORARY = "temporary"
    TOO_LARGE = "too_large"
    LINK = "link"
    UNREADABLE = "unreadable"
    UNTAGGED = "untagged"
    OTHER_TYPE = "other_type"
    ENCRYPTED = "encrypted"
    REPEATED = "repeated"


_BY_SETTING = frozenset(
    {
        *(LeftOutReason.IGNORED, LeftOutReason.FOLDER, LeftOutReason.EXCLUDED, LeftOutReason.NOT_INCLUDED),
        *(LeftOutReason.UNTAGGED, LeftOutReason.OTHER_TYPE),
    }
)
"""Reasons that a person set, in the source or in a .gitignore. A folder without any other files is not an empty one."""

_ONE_AND_MANY: Mapping[LeftOutReason, tuple[str, str]] = {
    LeftOutReason.HIDDEN: ("hidden", "hidden"),
    LeftOutReason.EXCLUDED: ("left out by --exclude", "left out by --exclude"),
    LeftOutReason.NOT_INCLUDED: ("not named by --include", "not named by --include"),
    LeftOutReason.SECRET: ("secret", "secrets"),
    LeftOutReason.LOCK_FILE: ("lock file", "lock files"),
    LeftOutReason.GENERATED: ("minified or generated", "minified or generated"),
    LeftOutReason.PAGE_PART: ("part of a saved page", "parts of saved pages"),
    LeftOutReason.TEMPORARY: ("temporary file of an office program", "temporary files of office programs"),
    LeftOutReason.TOO_LARGE: ("too large", "too large"),
    LeftOutReason.LINK: (
        "link that leads nowhere or out of the folder",
        "links that lead nowhere or out of the folder",
    ),
    LeftOutReason.UNREADABLE: ("that cannot be listed", "that cannot be listed"),
    LeftOutReason.UNTAGGED: ("without a tag of --file-tag", "without a tag of --file-tag"),
    LeftOutReason.OTHER_TYPE: ("not of a type of --file-type", "not of a type of --file-type"),
    LeftOutReason.ENCRYPTED: ("encrypted from end to end", "encrypted from end to end"),
    LeftOutReason.REPEATED: ("that is listed at another path", "that are listed at another path"),
}

_UNKNOWN = "an unknown number"
"""Said of folders whose files nobody counted."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a file or folder is left out.

    `where` says more: the name of the folder (FOLDER), the file with the pattern (IGNORED), the suffix (TYPE). `kind`
    says what a folder is, such as "virtual environment".
    """

    reason: LeftOutReason
    where: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class LeftOutPath:
    """A file that is left out, or a folder (its path ends with a slash) with the number of files in it.

    `more` means that there may be more files than were counted.
    """

    path: str
    files: int = 1
    more: bool = False

    def as_json(self) -> dict[str, Any]:
        """JSON form."""
        return {"path": self.path, "files": self.files, "more": self.more}


@dataclass(frozen=True, slots=True)
class LeftOutGroup:
    """The files that are left out for one reason; `examples` are some of them."""

    exclusion: Exclusion
    files: int
    more: bool = False
    examples: tuple[LeftOutPath, ...] = ()

    @property
    def number(self) -> str:
        """The number of files in words, "2,000+" if there may be more."""
        return _number([self])


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Everything that a source holds and does not index, the largest groups first.

    `of_account`: it is an account, whose files are chosen by rules and not by the options of a folder.
    """

    groups: tuple[LeftOutGroup, ...] = ()
    of_account: bool = False

    @property
    def files(self) -> int:
        """The number of files counted."""
        return sum(group.files for group in self.groups)

    @property
    def more(self) -> bool:
        """Whether there are more files than were counted."""
        return any(group.more for group in self.groups)

    @property
    def any(self) -> bool:
        """Whether anything is left out, counted or not."""
        return self.files > 0 or self.more

    def without(self, reason: LeftOutReason, paths: Collection[str]) -> "LeftOut":
        """The same without files that were counted under one reason and are indexed after all."""
        found = (
            replace(
                group,
                files=group.files - len(paths),
                examples=tuple(each for each in group.examples if each.path not in paths),
            )
            if group.exclusion.reason is reason
            else group
            for group in self.groups
        )
        return replace(self, groups=tuple(group for group in found if group.files or group.more))

    @property
    def by_settings(self) -> "LeftOut":
        """The part that is left out because of the source's settings or a .gitignore."""
        return LeftOut(tuple(group for group in self.groups if group.exclusion.reason in _BY_SETTING))

    @property
    def text(self) -> str:
        """The counts in words: "1,204 ignored by .gitignore, 2,000 in node_modules, 7 of unread types (7 .png)"."""
        merged: dict[str, list[LeftOutGroup]] = {}
        for group in self.groups:
            merged.setdefault(_label_key(group.exclusion), []).append(group)
        ordered = sorted(merged.values(), key=lambda groups: -sum(group.files for group in groups))
        named = [groups for groups in ordered if groups[0].exclusion.reason is LeftOutReason.FOLDER]
        dropped = {id(groups) for groups in named[_MOST_KINDS:]}
        parts = [_part(groups) for groups in ordered if id(groups) not in dropped]
        if dropped:
            rest = [group for groups in named[_MOST_KINDS:] for group in groups]
            parts.append(f"{_number(rest)} in {len(named) - _MOST_KINDS} other folders of that kind")
        return ", ".join(parts)

    @property
    def suffixes(self) -> dict[str, int]:
        """How many files have a type that is not read, by suffix ("" for no suffix)."""
        return {
            group.exclusion.where: group.files for group in self.groups if group.exclusion.reason is LeftOutReason.TYPE
        }

    def as_json(self, *, examples: bool = False) -> dict[str, Any]:
        """The JSON form; with the examples, what `from_json` reads."""
        return {
            "files": self.files,
            "more": self.more,
            **({"of_account": True} if self.of_account else {}),
            "groups": [
                {
                    "reason": str(group.exclusion.reason),
                    "where": group.exclusion.where,
                    "kind": group.exclusion.kind,
                    "files": group.files,
                    "more": group.more,
                    **({"examples": [each.as_json() for each in group.examples]} if examples else {}),
                }
                for group in self.groups
            ],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "LeftOut":
        """Read what `as_json` wrote with the examples."""
        return cls(
            tuple(
                LeftOutGroup(
                    Exclusion(LeftOutReason(group["reason"]), group["where"], group["kind"]),
                    group["files"],
                    group["more"],
                    tuple(LeftOutPath(**each) for each in group["examples"]),
                )
                for group in value["groups"]
            ),
            bool(value.get("of_account", False)),
        )


def kinds_text(counts: Mapping[str, int]) -> str:
    """Counts of files by suffix, the most first: "12 .png, 3 without suffix, 2 others"."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{count:,} {suffix or 'without suffix'}" for suffix, count in ordered[:_MOST_KINDS]]
    others = sum(count for _, count in ordered[_MOST_KINDS:])
    return ", ".join([*parts, f"{others:,} others"] if others else parts)


def _label_key(exclusion: Exclusion) -> str:
    where = "" if exclusion.reason is LeftOutReason.TYPE else exclusion.where
    return f"{exclusion.reason}:{where}"


def _part(groups: list[LeftOutGroup]) -> str:
    exclusion, number = groups[0].exclusion, _number(groups)
    match exclusion.reason:
        case LeftOutReason.FOLDER:
            return f"{number} in {exclusion.where}"
        case LeftOutReason.IGNORED:
            return f"{number} ignored by {exclusion.where}"
        case LeftOutReason.TYPE:
            kinds = kinds_text({group.exclusion.where: group.files for group in groups})
            return f"{number} of unread types ({kinds})"
        case _:
            one, many = _ONE_AND_MANY[exclusion.reason]
            return f"{number} {one if number == '1' else many}"


def _number(groups: Iterable[LeftOutGroup]) -> str:
    several = list(groups)
    files, more = sum(group.files for group in several), any(group.more for group in several)
    return _UNKNOWN if more and not files else f"{files:,}{'+' if more else ''}"
