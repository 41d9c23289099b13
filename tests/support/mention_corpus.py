"""The Model Context Protocol documentation and the names of a model's elements, as mentions are measured on them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from citemark.extraction.sandbox.pool import ParserPool
from citemark.graph.known_names import KnownName, KnownNames, NamePlace, words_of
from citemark.indexing.entity_edges import entity_edges
from citemark.model.documents import Fetched
from citemark.model.graph import DEFINES, NAMED, term_of
from citemark.model.ids import NativeId
from citemark.model.text import Span
from citemark.sources.archimate.reader import read_model
from citemark.sources.docs.connector import DocsProcessor
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.file_system import PAGE

DOCS, MODEL = 1, 2
_COMMON = 0.01


@dataclass(frozen=True, slots=True)
class Edge:
    """A mention as it becomes an edge: of a section (its slug) or of a page ("")."""

    page: str
    section: str
    name: str
    span: Span

    def rank(self, seed: str) -> bytes:
        """Its place in the draw of a seed, which stays when other mentions come or go."""
        return rank(seed, self.page, self.section, self.name)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Every page, the names, and those of one word that too many pages use."""

    pages: Mapping[str, Fetched]
    names: Mapping[str, KnownName]
    too_common: frozenset[str]

    def edges(self) -> Iterator[Edge]:
        """Each mention once a section, at its first place, as indexing keeps it."""
        known = KnownNames(self.names.values())
        for page, fetched in self.pages.items():
            yield from edges_of(page, fetched, known.places(fetched.extracted.body, self.too_common))


def edges_of(page: str, fetched: Fetched, places: Iterable[NamePlace]) -> Iterator[Edge]:
    sections = fetched.extracted.sections
    own = {stated.to_entity.name for stated in entity_edges(fetched, PAGE) if stated.type == NAMED and stated.to_entity}
    seen: set[tuple[str, str]] = set()
    at = 0
    for name, span in places:
        while at < len(sections) and sections[at].span.end <= span.start:
            at += 1
        inside = at < len(sections) and sections[at].span.start <= span.start
        slug = sections[at].slug if inside else ""
        title = term_of(sections[at].title) if inside else None
        if name in own or (title is not None and title.name == name) or (slug, name) in seen:
            continue
        seen.add((slug, name))
        yield Edge(page, slug, name, span)


def rank(seed: str, *parts: str) -> bytes:
    """A number for drawing by seed."""
    return blake2b("\n".join([seed, *parts]).encode(), digest_size=8).digest()


async def corpus(shared_data: Path) -> Corpus:
    """Read the pages and the model."""
    root = shared_data / "docs-mcp"
    pages: dict[str, Fetched] = {}
    parsers = ParserPool()
    processor = DocsProcessor(DocsSettings(root), parsers)
    for path in sorted(root.rglob("*.md*")):
        native_id = NativeId(path.relative_to(root).as_posix())
        fetched = await processor.fetch(PAGE, native_id)
        if fetched is not None:
            pages[native_id] = fetched
    model = read_model((shared_data / "archimate" / "Archisurance.archimate").read_bytes())
    written = [*_written(pages.values()), *((element.title, MODEL) for element in model.elements.values())]
    names = _known(written)
    single = {name for name in names if " " not in name}
    using = Counter(word for fetched in pages.values() for word in words_of(fetched.extracted.body) & single)
    return Corpus(pages, names, frozenset(word for word, count in using.items() if count > _COMMON * len(pages)))


def _written(pages: Iterable[Fetched]) -> Iterator[tuple[str, int]]:
    for fetched in pages:
        titles = {section.slug: section.title for section in fetched.extracted.sections}
        for stated in entity_edges(fetched, PAGE):
            if stated.type == NAMED:
                yield fetched.extracted.title, DOCS
            elif stated.type == DEFINES:
                yield titles[stated.from_section or ""], DOCS


def _known(written: Sequence[tuple[str, int]]) -> dict[str, KnownName]:
    names: dict[str, KnownName] = {}
    for title, source in written:
        term = term_of(title)
        if term is not None:
            before = names.get(term.name, KnownName(term.name, frozenset(), frozenset()))
            names[term.name] = KnownName(term.name, before.forms | {title}, before.source_ids | {source})
    return names
