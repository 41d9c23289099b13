"""What sources leave out, for a person: counts, examples, and the option that would include them."""

import shlex

from citemark.model.left_out import LeftOut, LeftOutGroup, LeftOutReason

_ALSO_HINT = "also reads files of another type as text, beside what is read now"


def left_out_lines(name: str, left_out: LeftOut | None) -> list[str]:
    """The lines after a sync: the counts, where to see more, and how to take in a type that is not read."""
    if left_out is None or not left_out.files:
        return []
    lines = [f"  {name}: left out: {left_out.text}; `citemark problems {quoted(name)} --left-out` lists them"]
    if suffixes := [suffix for suffix in left_out.suffixes if suffix]:
        lines.append(f"  {name}: `{_also(name, f'*{suffixes[0]}')}` {_ALSO_HINT}")
    return lines


def group_lines(name: str, group: LeftOutGroup) -> list[str]:
    """The lines of one group: its count, the option that would include it, and examples."""
    heading = LeftOut((group,)).text
    kind = f" ({group.exclusion.kind})" if group.exclusion.kind else ""
    lines = [f"{name}: {heading}{kind}: {remedy(name, group)}"]
    for each in group.examples:
        inside = f" ({each.files:,}{'+' if each.more else ''} files)" if each.path.endswith("/") else ""
        lines.append(f"  {each.path}{inside}")
    shown = sum(each.files for each in group.examples)
    if group.files > shown:
        lines.append(f"  and {group.files - shown:,} more")
    return lines


def remedy(name: str, group: LeftOutGroup) -> str:
    """What would include the files of a group, or why nothing does."""
    first = group.examples[0].path if group.examples else ""
    match group.exclusion.reason:
        case LeftOutReason.SECRET:
            return "secrets are never indexed, and no option includes them"
        case LeftOutReason.EXCLUDED:
            return f"`citemark source set {quoted(name)} --exclude ''` takes every --exclude away"
        case LeftOutReason.NOT_INCLUDED:
            return f"`{_also(name, first)}` takes one in, `citemark source set {quoted(name)} --include ''` all types that are read"
        case LeftOutReason.TYPE:
            pattern = f"*{group.exclusion.where}" if group.exclusion.where else first
            return f"`{_also(name, pattern)}` reads them as text"
        case LeftOutReason.TOO_LARGE:
            return "raise CITEMARK_MAX_FILE_MIB"
        case LeftOutReason.LINK:
            return "links are followed inside the folder only; add the folder that it leads to"
        case LeftOutReason.UNREADABLE:
            return f"`citemark problems {quoted(name)}` says what is wrong with each"
        case LeftOutReason.IGNORED:
            turning_off = f", `citemark source set {quoted(name)} --no-ignore` all that is ignored or generated"
            return f"`{_also(name, first)}` takes {'this folder' if first.endswith('/') else 'one'} in{turning_off}"
        case _:
            return f"`{_also(name, first)}` takes {'this folder' if first.endswith('/') else 'one'} in"


def quoted(name: str) -> str:
    """A name as a shell reads it."""
    return shlex.quote(name)


def _also(name: str, pattern: str) -> str:
    text = pattern.replace("'", "'\\''")
    return f"citemark source set {quoted(name)} --also '{text}'"
