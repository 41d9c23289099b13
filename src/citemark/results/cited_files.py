"""The files on this machine beside what is cited from them.

When a result goes to the local user, the path of each cited file is added beside its citation. Paths are not part of a
citation, because citations may be passed on and kept.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from citemark.services.catalog import LocalFile, LocalFiles


FILE = "file"


_CitedFiles: TypeAlias = "dict[str, dict[str, LocalFile]]"
"""Files by source and page."""


CITED = frozenset({"source", "document_id", "revision_id", "anchor"})
"""The fields by which a citation is recognized among the objects of a result."""


def beside_citations(payload: dict[str, Any], files: "LocalFiles") -> dict[str, Any]:
    """A result with `file` ({path, link}) beside each citation of a file on this machine, as programs want it."""
    return cast("dict[str, Any]", _with_file_fields(payload, files, {}, None))


def with_files(payload: dict[str, Any], files: "LocalFiles") -> tuple[dict[str, Any], list[str]]:
    """A result with `file` ({path, link}) beside the first citation of each file on this machine, and lines about them.

    A line names a file, or the folder that contains several cited documents of a source under the paths cited.
    """
    if not files.sources:
        return payload, []
    cited_files: _CitedFiles = {}
    annotated = cast("dict[str, Any]", _with_file_fields(payload, files, cited_files, set()))
    lines = [one_line(line) for source, pages in cited_files.items() for line in _location_lines(source, pages)]
    if len(lines) == 1:
        return annotated, [f"On this machine: {lines[0].removeprefix('- ')}"]
    return annotated, ["", "On this machine:", *lines] if lines else []


def _location_lines(source: str, pages: "Mapping[str, LocalFile]") -> list[str]:
    """Where the documents of a source are: their one file or their one folder, or else a line for each file."""
    paths = {file.path for file in pages.values()}
    if len(pages) > 1 and len(paths) == 1:
        (path,) = paths
        return [f"- {source}: {path} ({path.as_uri()})"]
    paths_end_with_pages = all(str(file.path).endswith(f"/{page}") for page, file in pages.items())
    roots = {str(file.path).removesuffix(page) for page, file in pages.items()}
    if len(pages) > 1 and paths_end_with_pages and len(roots) == 1:
        (root,) = roots
        return [f"- {source}: below {root}"]
    return [f"- {source}: {page}: {file.path} ({file.link})" for page, file in pages.items()]


def _with_file_fields(
    node: object, files: "LocalFiles", cited_files: "_CitedFiles", seen_links: set[str] | None
) -> object:
    """`node` with `file` fields added; collects the files of its citations in `cited_files`.

    `seen_links` are those that need no further field, which grow here; None if every citation gets one.
    """
    if isinstance(node, list):
        return [_with_file_fields(entry, files, cited_files, seen_links) for entry in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    whole = cast("dict[str, Any]", node)
    annotated: dict[str, Any] = {}
    for key, value in whole.items():
        annotated[key] = _with_file_fields(value, files, cited_files, seen_links)
        if not isinstance(value, dict) or not cast("dict[str, Any]", value).keys() >= CITED:
            continue
        citation = cast("dict[str, Any]", value)
        source, document_id = citation["source"], citation["document_id"]
        heading: str | None = citation["anchor"].get("heading")
        file = files.at(source, document_id, heading)
        if file is None and heading is None:  # in a citation beside a quote, only the document's id names the heading
            heading = document_id.partition("#")[2] or None
            file = files.at(source, document_id, heading)
        if file is not None:
            if seen_links is None or file.link not in seen_links:
                annotated[FILE] = file.as_dict()
            if seen_links is not None:
                seen_links.add(file.link)
            cited_files.setdefault(source, {}).setdefault(files.page_of(document_id, heading), file)
    return annotated
