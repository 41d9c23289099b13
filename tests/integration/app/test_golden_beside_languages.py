"""Golden questions over real pages lose nothing when pages in other languages come to lie beside them."""

import shutil
from pathlib import Path

import pytest
from tests.support.foreign_pages import french_pages, german_pages

from citemark.app.open_index import open_app
from citemark.evaluation.golden_run import run_golden
from citemark.evaluation.outcome import GoldenRow
from citemark.model.sources import NewSource
from citemark.settings import Settings

# fmt: off
PAGES = (
    "registry/faq", "registry/package-types", "registry/terms-of-service", "registry/about",
    "registry/registry-aggregators", "registry/moderation-policy", "community/sdk-tiers", "community/design-principles",
    "community/working-groups/triggers-events", "community/governance", "specification/2025-03-26/changelog",
    "specification/2024-11-05/server/utilities/completion", "specification/2024-11-05/basic/transports",
    "specification/2025-06-18/changelog", "specification/2026-07-28/deprecated",
    "docs/2026-07-28/tools/inspector/tui", "extensions/auth/overview",
)
# fmt: on
GERMAN, FRENCH = 4, 2
LEAST_FOUND = 16
"""How many questions the pages answer, so that there is something to lose."""


@pytest.mark.slow
@pytest.mark.requirement("golden-questions-beside-foreign-documents", "names-compared-in-document-language")
async def test_golden_questions_lose_nothing_beside_pages_in_other_languages(
    dsn: str, tmp_path: Path, shared_data: Path, golden_questions: Path
) -> None:
    for page in PAGES:
        target = tmp_path / "docs" / f"{page}.mdx"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(shared_data / "docs-mcp" / "docs" / f"{page}.mdx", target)
    golden = golden_questions / "docs-dev.yaml"
    async with open_app(Settings(database_url=dsn, verify_cache=0)) as app:  # pyright: ignore[reportArgumentType]
        await app.stores.sources.add(NewSource("mcp-docs", "docs", {"root": str(tmp_path / "docs")}))
        await app.sync(await app.local_sources())
        before = (await run_golden(app, golden)).rows
        for name, text in {**german_pages(GERMAN), **french_pages(FRENCH)}.items():
            (tmp_path / "docs" / name).write_text(text, "utf-8")
        await app.sync(await app.local_sources())
        after = (await run_golden(app, golden)).rows
    assert sum(row.document_hit for row in before) >= LEAST_FOUND
    assert _names(after, "abstained") <= _names(before, "abstained")
    for what in ("document_hit", "evidence_hit"):
        assert len(_names(before, what) - _names(after, what)) <= 1


def _names(rows: tuple[GoldenRow, ...], what: str) -> set[str]:
    return {row.question_id for row in rows if row.answerable and getattr(row, what)}
