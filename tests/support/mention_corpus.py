"""The Model Context Protocol documentation and the names of a model's elements, as mentions are measured on them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.reader import read_model
from citemark.features.graph.mentions.known_names import KnownNames
from citemark.features.graph.mentions.mention_edges import mention_edges
from citemark.features.graph.mentions.name_rules import MOST_BEARERS, names_something
from citemark.indexing.entity_edges import entity_edges
from citemark.model.documents import Fetched
from citemark.model.graph import DEFINES, NAMED, PLAIN, KnownName, name_of, term_of
from citemark.model.ids import NativeId
from citemark.model.text import Span
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
    plain: bool

    def rank(self, seed: str) -> bytes:
        """Its place in the draw of a seed, which stays when other mentions come or go."""
        return rank(seed, self.page, self.section, self.name)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Every page, the names, and the plain words among them that too many pages use."""

    pages: Mapping[str, Fetched]
    known: KnownNames
    too_common: frozenset[str]

    def edges(self) -> Iterator[Edge]:
        """The mentions that indexing keeps and readers see."""
        for page, fetched in self.pages.items():
            for edge in edges_of(page, fetched, self.known):
                if not (edge.plain and edge.name in self.too_common):
                    yield edge


def edges_of(page: str, fetched: Fetched, known: KnownNames) -> Iterator[Edge]:
    """The mentions of a page."""
    text = fetched.extracted
    for stated in mention_edges(text.title, text.body, text.sections, known):
        if stated.to_entity is not None:
            name = stated.to_entity.name
            yield Edge(page, stated.from_section or "", name, stated.span, plain=PLAIN in stated.metadata)


def rank(seed: str, *parts: str) -> bytes:
    """A number for drawing by seed."""
    return blake2b("\n".join([seed, *parts]).encode(), digest_size=8).digest()


def digest_of(text: str) -> str:
    """What labels keep of the text that was read."""
    return blake2b(text.encode(), digest_size=4).hexdigest()


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
    written = [*_written(pages), *(Written(each.title, MODEL, key) for key, each in model.elements.items())]
    known = KnownNames(_known(written).values())
    using = Counter(
        name
        for page, fetched in pages.items()
        for name in {edge.name for edge in edges_of(page, fetched, known) if edge.plain}
    )
    return Corpus(pages, known, frozenset(word for word, count in using.items() if count > _COMMON * len(pages)))


class Written(NamedTuple):
    """A title or heading, the source of its document, and the document."""

    title: str
    source: int
    bearer: str


def _written(pages: Mapping[str, Fetched]) -> Iterator[Written]:
    for page, fetched in pages.items():
        titles = {section.slug: section.title for section in fetched.extracted.sections}
        for stated in entity_edges(fetched, PAGE):
            if stated.type == NAMED:
                yield Written(fetched.extracted.title, DOCS, page)
            elif stated.type == DEFINES:
                yield Written(titles[stated.from_section or ""], DOCS, page)


def _known(written: Sequence[Written]) -> dict[str, KnownName]:
    names: dict[str, KnownName] = {}
    bearers: dict[tuple[str, int], set[str]] = {}
    for each in written:
        term = term_of(each.title)
        if term is not None and names_something(term.name):
            before = names.get(term.name, KnownName(term.name, frozenset(), frozenset()))
            names[term.name] = KnownName(
                term.name, before.forms | {name_of(each.title)}, before.source_ids | {each.source}
            )
            bearers.setdefault((term.name, each.source), set()).add(each.bearer)
    for (name, source), borne in bearers.items():
        if len(borne) > MOST_BEARERS:
            known = names[name]
            names[name] = known._replace(source_ids=known.source_ids - {source})
    return {name: known for name, known in names.items() if known.source_ids}
