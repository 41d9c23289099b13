"""What sources leave out, for a person: counts, examples, and the option that would include them."""

import re
import shlex

from citemark.model.left_out import LeftOut, LeftOutGroup, LeftOutReason

_NO_TEXT = frozenset(
    {
        *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".heic", ".psd", ".avif"),
        *(".mp3", ".wav", ".ogg", ".flac", ".m4a", ".mp4", ".mov", ".avi", ".mkv", ".webm"),
        *(".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".whl", ".iso", ".dmg"),
        *(".ttf", ".otf", ".woff", ".woff2", ".eot", ".exe", ".dll", ".so", ".dylib", ".o", ".a", ".bin", ".wasm"),
        *(".db", ".sqlite", ".sqlite3", ".parquet", ".npy", ".npz", ".pkl", ".pt", ".onnx"),
    }
)
"""Suffixes of files that --also would only turn into problems."""

_NEVER = "secrets are never indexed, and no option includes them"
_RAISE = "raise CITEMARK_MAX_FILE_MIB"
_ALSO_HINT = "also reads files of another type as text, beside what is read now"


def left_out_lines(name: str, left_out: LeftOut | None) -> list[str]:
    """The lines after a sync: the counts, where to see more, and how to take in a type that is not read."""
    if left_out is None or not left_out.any:
        return []
    lines = [f"  {name}: left out: {left_out.text}; `citemark problems {quoted(name)} --left-out` lists them"]
    suffixes = [suffix for suffix in left_out.suffixes if suffix and suffix not in _NO_TEXT]
    if suffixes and not left_out.of_account:
        lines.append(f"  {name}: `{_also(name, f'*{suffixes[0]}')}` {_ALSO_HINT}")
    return lines


def group_lines(name: str, group: LeftOutGroup, *, of_account: bool) -> list[str]:
    """The lines of one group: its count, the option that would include it, and examples.

    `of_account` is as in `LeftOut`.
    """
    heading = LeftOut((group,)).text
    kind = f" ({group.exclusion.kind})" if group.exclusion.kind else ""
    lines = [f"{name}: {heading}{kind}: {remedy(name, group, of_account=of_account)}"]
    for each in group.examples:
        number = LeftOutGroup(group.exclusion, each.files, each.more).number
        number += "" if each.more and not each.files else f" file{'' if number == '1' else 's'}"
        lines.append(f"  {each.path} ({number})" if each.path.endswith("/") else f"  {each.path}")
    shown = sum(each.files for each in group.examples)
    if group.files > shown:
        lines.append(f"  and {group.files - shown:,} more")
    return lines


def remedy(name: str, group: LeftOutGroup, *, of_account: bool) -> str:
    """What would include the files of a group, or why nothing does; `of_account` is as in `LeftOut`."""
    return _rule_for(name, group) if of_account else _option_for(name, group)


def _rule_for(name: str, group: LeftOutGroup) -> str:
    """What would include files of an account."""
    change = f"citemark source set {quoted(name)}"
    rules = {
        LeftOutReason.SECRET: _NEVER,
        LeftOutReason.EXCLUDED: f"`{change} --exclude ''` takes every --exclude away",
        LeftOutReason.NOT_INCLUDED: f"`{change} --include ''` takes all types that are read",
        LeftOutReason.UNTAGGED: "give them such a tag in Nextcloud",
        LeftOutReason.OTHER_TYPE: "`citemark add nextcloud` with another --file-type takes other types",
        LeftOutReason.TYPE: "only the types are read that docs/formats.md lists, unless --file-type names others",
        LeftOutReason.TOO_LARGE: _RAISE,
        LeftOutReason.ENCRYPTED: "the server cannot decrypt them, and so nor can Citemark",
        LeftOutReason.REPEATED: "they are indexed under the other path",
        LeftOutReason.UNREADABLE: f"`citemark problems {quoted(name)}` says what is wrong with each",
    }
    return rules.get(group.exclusion.reason, "no rule takes them in; rename or move them")


def _option_for(name: str, group: LeftOutGroup) -> str:
    """What would include files of a folder."""
    first, change = (group.examples[0].path if group.examples else ""), f"citemark source set {quoted(name)}"
    one = f"`{_also(name, naming(first))}` takes {'this folder' if first.endswith('/') else 'one'} in"
    suffix = group.exclusion.where
    by_type = f"`{_also(name, f'*{suffix}' if suffix else naming(first))}` reads them as text"
    remedies = {
        LeftOutReason.SECRET: _NEVER,
        LeftOutReason.EXCLUDED: f"`{change} --exclude ''` takes every --exclude away",
        LeftOutReason.NOT_INCLUDED: f"{one}, `{change} --include ''` all types that are read",
        LeftOutReason.TYPE: "files of that type hold no text that is read" if suffix in _NO_TEXT else by_type,
        LeftOutReason.TOO_LARGE: _RAISE,
        LeftOutReason.LINK: "links are followed inside the folder only; add the folder that it leads to",
        LeftOutReason.UNREADABLE: f"`citemark problems {quoted(name)}` says what is wrong with each",
        LeftOutReason.IGNORED: f"{one}, `{change} --no-ignore` all that is ignored or generated",
    }
    return remedies.get(group.exclusion.reason, one)


def naming(path: str) -> str:
    """The pattern that names one file or folder and no other."""
    escaped = re.sub(r"([\\*?\[!#])", r"\\\1", path)
    return escaped if "/" in escaped.rstrip("/") else f"/{escaped}"


def quoted(name: str) -> str:
    """A name as a shell reads it."""
    return shlex.quote(name)


def _also(name: str, pattern: str) -> str:
    text = pattern.replace("'", "'\\''")
    return f"citemark source set {quoted(name)} --also '{text}'"
