"""Counts what a scan leaves out, by reason, with some examples of each."""

import os
from dataclasses import dataclass, field

from citemark.model.left_out import Exclusion, LeftOut, LeftOutGroup, LeftOutPath

MOST_IN_FOLDER = 10_000
"""Files that are counted in one folder that is left out: more are "10,000+", and take a tenth of a second."""

_MOST_IN_SCAN = 50_000
"""Files that one scan counts in all such folders, so that a scan which follows a change stays short."""

_EXAMPLES = 20
"""Paths that are kept of each group; a person who sees them knows the rest."""

_MOST_EXAMPLES = 400
"""Paths that are kept of one scan: they are stored after each."""


@dataclass(slots=True)
class _Group:
    files: int = 0
    more: bool = False
    examples: list[LeftOutPath] = field(default_factory=list[LeftOutPath])


class LeftOutCount:
    """The count of one scan."""

    def __init__(self, most_in_folder: int = MOST_IN_FOLDER, most_in_scan: int = _MOST_IN_SCAN) -> None:
        """Begin a count.

        Args:
            most_in_folder: files counted in one folder.
            most_in_scan: files counted in folders altogether.
        """
        self._groups: dict[Exclusion, _Group] = {}
        self._most_in_folder = most_in_folder
        self._left = most_in_scan
        self._examples = 0

    def file(self, path: str, exclusion: Exclusion) -> None:
        """Count a file."""
        self._add(exclusion, LeftOutPath(path))

    def folder(self, path: str, exclusion: Exclusion, real: str) -> None:
        """Count the files in a folder, whose path on the disk is `real`; a folder without files counts nothing."""
        files, more = _files_in(real, min(self._most_in_folder, self._left))
        self._left -= files
        self.counted_folder(path, exclusion, files, more=more)

    def counted_folder(self, path: str, exclusion: Exclusion, files: int, *, more: bool) -> None:
        """Take in the count of a folder's files that somebody else made; `more`: there may be more of them."""
        if files or more:
            self._add(exclusion, LeftOutPath(f"{path}/", files, more))

    def result(self, *, of_account: bool = False) -> LeftOut:
        """What was counted, the largest groups first; `of_account` is as in `LeftOut`."""
        groups = [
            LeftOutGroup(exclusion, group.files, group.more, tuple(group.examples))
            for exclusion, group in self._groups.items()
        ]
        return LeftOut(
            tuple(sorted(groups, key=lambda group: (-group.files, group.exclusion.reason))), of_account=of_account
        )

    def _add(self, exclusion: Exclusion, path: LeftOutPath) -> None:
        group = self._groups.setdefault(exclusion, _Group())
        group.files += path.files
        group.more = group.more or path.more
        if len(group.examples) < _EXAMPLES and (self._examples < _MOST_EXAMPLES or not group.examples):
            group.examples.append(path)
            self._examples += 1


def _files_in(folder: str, most: int) -> tuple[int, bool]:
    """The number of files in a folder and below, at most `most`, and whether there are more. Links are not followed."""
    files, waiting = 0, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif files == most:
                        return files, True
                    else:
                        files += 1
        except OSError:
            continue
    return files, False
