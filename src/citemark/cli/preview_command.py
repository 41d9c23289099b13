"""What `--dry-run` of `add`, `source set` and `sync` shows."""

from collections.abc import Mapping
from typing import Any

from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.left_out_lines import left_out_lines
from citemark.model.ids import SourceId
from citemark.services.source_preview import SourcePreview

NOT_RECORDED = SourceId(0)
"""The id of a source that is only tried: the database counts from 1."""


def show_preview(run: CommandContext, previews: Mapping[str, SourcePreview], heading: str = "") -> int:
    """Show what a sync would find in sources, by their names; the exit code is 1 if one cannot be listed."""
    lines = [heading] if heading else []
    for name, preview in previews.items():
        lines += preview_lines(name, preview)
    lines.append("Nothing was changed (--dry-run).")
    data = {"dry_run": True, "sources": {name: preview_data(preview) for name, preview in previews.items()}}
    run.show(data, "\n".join(lines))
    return FAILED if any(preview.reason for preview in previews.values()) else 0


def preview_lines(name: str, preview: SourcePreview) -> list[str]:
    """The counts of a preview, what would leave the index, and what would be left out."""
    counts = f"{name}: {preview.listed:,} documents, {preview.new:,} new"
    if preview.indexed:
        counts += f", {preview.changed:,} changed, {preview.gone:,} of {preview.indexed:,} would leave the index"
    lines = [counts + (f" (incomplete: {preview.reason})" if preview.reason else "")]
    return [*lines, *gone_lines(preview), *left_out_lines(name, preview.left_out)]


def gone_lines(preview: SourcePreview) -> list[str]:
    """Some of the documents that would leave the index."""
    more = preview.gone - len(preview.examples)
    return [f"  - {native_id}" for native_id in preview.examples] + ([f"  and {more:,} more"] if more else [])


def preview_data(preview: SourcePreview) -> dict[str, Any]:
    """The JSON form of a preview."""
    return {
        "listed": preview.listed,
        "new": preview.new,
        "changed": preview.changed,
        "indexed": preview.indexed,
        "gone": preview.gone,
        "examples": list(preview.examples),
        "left_out": None if preview.left_out is None else preview.left_out.as_json(),
        "reason": preview.reason,
    }
