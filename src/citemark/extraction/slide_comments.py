"""The comments on a slide, in the form of PowerPoint 2007 and in that of today."""

from collections.abc import Iterator
from typing import Any

from citemark.extraction.office import attribute, name_of, parse_xml
from citemark.extraction.office_runs import words_in


def comments_of(part: Any) -> Iterator[tuple[str, str]]:
    """The author ("" if unknown) and the text of each comment and reply on the slide that `part` holds."""
    comments = _related(part, "comments")
    authors = _authors(part.package) if comments else {}  # to find them, all parts of the file are looked through
    for related in comments:
        for comment in parse_xml(related.blob).iter():
            if name_of(comment) in {"cm", "reply"}:
                text = words_in(*(part for part in comment if name_of(part) != "replyLst"))
                if text:
                    yield authors.get(attribute(comment, "authorId"), ""), text


def _authors(package: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in package.iter_parts():
        if str(part.partname).startswith(("/ppt/commentAuthors", "/ppt/authors")):
            for node in parse_xml(part.blob).iter():
                if attribute(node, "id") and attribute(node, "name"):
                    found[attribute(node, "id")] = attribute(node, "name")
    return found


def _related(part: Any, kind: str) -> list[Any]:
    return [
        rel.target_part for rel in part.rels.values() if not rel.is_external and rel.reltype.rpartition("/")[2] == kind
    ]
