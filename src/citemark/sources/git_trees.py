"""The files in a tree of a git repository. Whoever made the repository chose names, depth and number as they liked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from stat import S_IFDIR, S_IFREG

from dulwich.objects import Tree, TreeEntry

from citemark.model.errors import InvalidArgument

MOST_ENTRIES = 1_000_000
"""Files and folders that are looked at: twice what the largest public repositories have. Without a limit, ten trees
whose ten folders are each the next of them would be ten thousand million paths."""

MOST_FILES = 500_000
"""Files of one source; a folder has a few thousand documents, and their paths are held in memory."""

_DEEPEST = 128  # levels of folders; a scan of a folder enters no more either
_LONGEST_NAME = 255  # bytes; the usual file systems hold no longer one
_LONGEST_PATH = 1_024
"""Bytes below the folder: more than the index takes for a document, and than macOS can open."""

_TYPE = 0o170000  # the bits of a mode that tell files, folders, links and submodules apart


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A regular file of a commit: its path below a folder of the repository, and the hash of its content."""

    path: str
    blob_id: str


class TooManyFiles(InvalidArgument):
    """A commit has more files than are read; `most` is how many."""

    def __init__(self, name: str, most: int) -> None:
        super().__init__(
            f"{name!r} has more than {most:,} files there, more than are read; add a smaller folder as the source.",
            commit=name,
        )


def is_folder(entry: TreeEntry) -> bool:
    """Tell whether an entry of a tree is a tree, and not a file, a link or a submodule."""
    return entry.mode & _TYPE == S_IFDIR


def files_in(
    tree: Tree,
    read: Callable[[bytes], Tree],
    takes: Callable[[str], bool],
    commit: str,
    *,
    most_entries: int = MOST_ENTRIES,
    most_files: int = MOST_FILES,
) -> Iterator[TreeFile]:
    """Yield the regular files in a tree and the trees below it that have usable paths.

    Left out are links, submodules, names that would lead out of the folder or that no file system holds, and what is
    nested more than 128 levels deep.

    Args:
        tree: where to begin.
        read: reads a tree by its hash.
        takes: whether to yield the file at a path.
        commit: what messages call the commit.
        most_entries: files, folders and anything else in the trees.
        most_files: files that are yielded.

    Raises:
        TooManyFiles: there are more entries or files than are read.
    """
    entries, files = len(tree), 0
    # One iterator for each level: nothing is held of the trees that wait, however often they contain each other.
    levels = [("", iter(tree.items()))]
    while levels:
        folder, rest = levels[-1]
        entry = next(rest, None)
        if entry is None:
            levels.pop()
            continue
        path = _path(folder, entry.path)
        if path is None:
            continue
        if is_folder(entry) and len(levels) <= _DEEPEST:
            below = read(entry.sha)
            entries += len(below)
            if entries > most_entries:
                raise TooManyFiles(commit, most_entries)
            levels.append((path, iter(below.items())))
        elif entry.mode & _TYPE == S_IFREG and takes(path):
            files += 1
            if files > most_files:
                raise TooManyFiles(commit, most_files)
            yield TreeFile(path, entry.sha.decode())


def _path(folder: str, name: bytes) -> str | None:
    """The path of an entry of a folder; None if it does not stay below the folder, on every system."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return None
    if text in {"", ".", ".."} or any(character in text for character in "/\\\0") or len(name) > _LONGEST_NAME:
        return None
    path = f"{folder}/{text}" if folder else text
    return path if len(path.encode()) <= _LONGEST_PATH else None
