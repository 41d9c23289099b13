"""Finds the notes that wikilinks mean, and states those links."""

from collections.abc import Collection, Iterable, Mapping

from citemark.extraction.markdown.headings import plain, slugify
from citemark.extraction.markdown.link_scanner import is_wiki_link, wiki_words
from citemark.features.nextcloud.source.links import link_target
from citemark.features.nextcloud.source.notes.api import NOTE, Note
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Extracted
from citemark.sources.note_names import NotePaths, comparable, names_attachment, nearest
from citemark.sources.relationships import LinkTarget, stated_links


class NamedNotes:
    """The notes of an account by their titles, which are the names of their files, and categories, their folders.

    `knows_all` says whether the aliases of all notes are known, so that a name which is not found names no note.
    """

    def __init__(self, notes: Iterable[Note], aliases: Mapping[NativeId, Collection[str]], *, knows_all: bool) -> None:
        self.knows_all = knows_all
        self._ids = {f"{note.category}/{note.title}".lstrip("/"): note.native_id for note in notes if note.title}
        self._paths = NotePaths(f"{path}.md" for path in self._ids)
        self._called = [(path, {comparable(name) for name in aliases.get(one, ())}) for path, one in self._ids.items()]

    def find(self, name: str, page: str) -> NativeId | None:
        """The note that a link on the note at `page` (category and title) means by a name; None without one."""
        path = self._paths.named(name, page)
        if path is None:
            path = nearest((path for path, names in self._called if comparable(name.strip()) in names), page)
        return None if path is None else self._ids[path.removesuffix(".md")]


def names_in(extracted: Extracted) -> list[str]:
    """The names of other notes that the wikilinks of a note mention."""
    targets = [link.target for link in extracted.links if is_wiki_link(link.target)]
    return [name for target in targets if (name := wiki_words(target).partition("#")[0].strip())]


def note_links(
    server: str, native_id: NativeId, page: str, extracted: Extracted, notes: NamedNotes
) -> tuple[StatedRelationship, ...]:
    """Return the links of a note; a wikilink to a note that does not exist is stated by its name, as a broken link.

    Args:
        server: base address of the Nextcloud.
        native_id: of the note.
        page: its category and title.
        extracted: its text.
        notes: all notes of the account.
    """
    slugs = {section.slug.rpartition("/")[2]: section.slug for section in extracted.sections}

    def resolve(href: str) -> LinkTarget:
        if not is_wiki_link(href):
            return link_target(server, href)
        name, _, place = wiki_words(href).partition("#")
        heading = place.rpartition("#")[2].strip()
        anchor = slugify(plain(heading)) if heading and not heading.startswith("^") else ""
        found = notes.find(name, page) if name.strip() else native_id
        if found is None:
            is_broken = notes.knows_all and not names_attachment(name)
            return LinkTarget(name.strip(), doc_type=NOTE) if is_broken else LinkTarget()
        if found == native_id:
            return LinkTarget(f"{native_id}#{slugs.get(anchor, anchor)}", doc_type=NOTE) if anchor else LinkTarget()
        return LinkTarget(f"{found}#{anchor}" if anchor else found, doc_type=NOTE)

    return stated_links(extracted, resolve)
