"""The file on this machine that a citation stands in, for the person whose machine it is and for nobody else.

It is no part of a citation: a face that speaks to that person adds it when it shows one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from citemark.model.architecture import ARCHIMATE
from citemark.model.citation import Citation, address_of
from citemark.model.sources import Source
from citemark.sources.docs.settings import DOCS


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file, and the link that opens it where the citation points, if programs know how."""

    path: Path
    link: str

    def as_dict(self) -> dict[str, str]:
        """JSON form."""
        return {"path": str(self.path), "link": self.link}


@dataclass(frozen=True, slots=True)
class LocalFiles:
    """The files of some sources, by the names of the sources."""

    sources: Mapping[str, Source]

    @classmethod
    def among(cls, sources: Iterable[Source]) -> "LocalFiles":
        """The files of these sources."""
        return cls({source.name: source for source in sources})

    def of(self, citation: Citation) -> LocalFile | None:
        """The file of a citation; None when there is none here, as of an account or another machine's folder."""
        return self.at(citation.source, citation.document_id, citation.anchor.heading)

    def at(self, source: str, document_id: str, heading: str | None) -> LocalFile | None:
        """As `of`, of what a citation says."""
        found = self.sources.get(source)
        path = None if found is None else _path(found, self.page_of(document_id, heading))
        if path is None or not path.is_absolute() or not path.is_file():
            return None
        link = address_of(path.as_uri(), path.name, heading)
        return LocalFile(path, link or path.as_uri())

    @staticmethod
    def page_of(document_id: str, heading: str | None) -> str:
        """The id of the page that a citation's document is a section of, or is."""
        return document_id.removesuffix(f"#{heading}") if heading else document_id


def _path(source: Source, page: str) -> Path | None:
    if source.kind == DOCS:
        return Path(str(source.config.get("root", "")), page)
    if source.kind == ARCHIMATE:
        return Path(str(source.config.get("path", "")))
    return None
