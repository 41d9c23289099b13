"""Which texts reach the model: those that are new, however a document was moved, re-indented, copied or read again."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.support.index import Index

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.embedding.contract import Vectors
from citemark.embedding.minilm import MiniLM
from citemark.model.sources import NewSource
from citemark.settings import Settings

_PAGE = "\n".join(
    f"## Part {part}\n\nWhat part {part} tells: "
    + f"the pump of hall {part} was checked and found in order. " * 40
    + "\n"
    for part in range(5)
)


class Counting(MiniLM):
    """The bundled model, with the texts that it was given."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.given: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.given += texts
        return super().embed_documents(texts)


class Folder:
    """A folder that is indexed, and the model that embeds it."""

    def __init__(self, app: App, model: Counting, root: Path) -> None:
        self.app = app
        self.model = model
        self.root = root

    async def embedded(self) -> list[str]:
        """The texts that a sync has the model embed, after it has read something."""
        self.model.given.clear()
        report = await self.app.sync(await self.app.local_sources())
        assert report.documents
        return list(self.model.given)


@pytest.fixture
async def folder(dsn: str, tmp_path: Path) -> AsyncGenerator[Folder, None]:
    settings = Settings(database_url=SecretStr(dsn), index_workers=1)
    async with open_app(settings) as opened:
        model = Counting()
        app = App(opened.settings, opened.stores, model)
        await app.sources.add(NewSource("handbook", "docs", {"root": str(tmp_path)}))
        (tmp_path / "pumps.md").write_text(f"# Pumps\n\n{_PAGE}", "utf-8")
        yield Folder(app, model, tmp_path)
        app.close()


@pytest.mark.requirement("equal-text-embedded-once")
async def test_only_new_text_is_embedded(folder: Folder) -> None:
    first = await folder.embedded()
    assert len(first) == len(set(first)) >= 10
    page = folder.root / "pumps.md"

    (folder.root / "halls").mkdir()
    page = page.rename(folder.root / "halls" / "pumps.md")
    assert await folder.embedded() == [], "a file that moved"

    copy = folder.root / "copy.md"
    copy.write_text(page.read_text("utf-8"), "utf-8")
    assert await folder.embedded() == [], "a copy"

    page.write_text(page.read_text("utf-8").replace("\n\n", "\n\n\n"), "utf-8")
    assert await folder.embedded() == [], "other blank lines"

    page.write_text(page.read_text("utf-8").replace("\nWhat", "\n   What"), "utf-8")
    assert await folder.embedded() == [], "another indentation"

    page.write_text(page.read_text("utf-8").replace("hall 3", "shed 3"), "utf-8")
    changed = await folder.embedded()
    assert changed
    assert all("shed 3" in text for text in changed), "one section in five"

    page.write_text(page.read_text("utf-8").replace("shed 3", "hall 3"), "utf-8")
    assert await folder.embedded() == [], "a change that was undone"

    await Index(folder.app.stores.database).rows("UPDATE item SET text_version = 0")
    assert await folder.embedded() == [], "an upgrade reads everything again"


@pytest.mark.requirement("equal-text-embedded-once")
async def test_two_new_documents_with_the_same_text_are_embedded_once(folder: Folder) -> None:
    (folder.root / "copy.md").write_text((folder.root / "pumps.md").read_text("utf-8"), "utf-8")
    given = await folder.embedded()
    assert len(given) == len(set(given))
