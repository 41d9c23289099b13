"""Answers, not speed: the product's own evaluation, through its command."""

import asyncio
import json
from pathlib import Path
from typing import Any

from mcp_types import TextContent
from tests.bench.locations import COLLECTIONS, GOLDEN, ROOT, SHARED, cache
from tests.bench.measure import median
from tests.bench.serving import COMMAND, environment, served
from tests.support.foreign_pages import french_pages, german_pages

from citemark.model.errors import BackendUnavailable

_ENGLISH, _GERMAN, _FRENCH = 120, 21, 9
"""Documents beside the documentation, by language."""


async def collections() -> dict[str, object]:
    """nDCG@10 and R@100 of the three test collections."""
    found: dict[str, object] = {}
    for name in COLLECTIONS:
        report = await _citemark("eval", str(SHARED / "ir" / name), "--json")
        found[name] = {key: report[key] for key in ("ndcg_at_10", "recall_at_100", "questions")}
    return found


async def golden() -> dict[str, object]:
    """The documentation questions: evidence, abstention, bytes."""
    await documentation_index()
    report = await _citemark("eval", str(GOLDEN / "docs-dev.yaml"), "--json")
    rows = report["rows"]
    answerable = [row for row in rows if row["answerable"]]
    shares = [row["evidence_bytes"] / row["section_bytes"] for row in answerable if row["section_bytes"]]
    return {
        "answerable": len(answerable),
        "unanswerable": len(rows) - len(answerable),
        "evidence_hit_at_5": report["evidence_hit_at_5"],
        "document_hit_at_5": report["document_hit_at_5"],
        "lost": sum(row["abstained"] for row in answerable),
        "rejected": sum(row["abstained"] or bool(row["told"]) for row in rows if not row["answerable"]),
        "bytes_share": round(median(shares), 4),
        "text_share": round(median(await _text_shares(answerable)), 4),
        "curve": report["curve"],
    }


async def beside() -> dict[str, object]:
    """The documentation questions again, beside 150 other documents of which 21 are German and 9 French."""
    await documentation_index()
    alone = await _citemark("eval", str(GOLDEN / "docs-dev.yaml"), "--json")
    await _docs_source("beside", await asyncio.to_thread(_others))
    try:
        report = await _citemark("eval", str(GOLDEN / "docs-dev.yaml"), "--json")
    finally:
        await _citemark("remove", "beside", "--yes", "--json")
    rows = list(zip(alone["rows"], report["rows"], strict=True))

    def lost(what: str) -> int:
        return sum(before[what] for before, _ in rows) - sum(after[what] for _, after in rows)

    answerable = [(before, after) for before, after in rows if before["answerable"]]
    return {
        "answerable": len(answerable),
        "further_abstentions": sum(after["abstained"] and not before["abstained"] for before, after in answerable),
        "document_hits_lost": lost("document_hit"),
        "evidence_hits_lost": lost("evidence_hit"),
    }


def _others() -> Path:
    """A folder of 150 documents: sections of other documentation, and pages in two other languages."""
    folder = cache() / "beside"
    folder.mkdir(exist_ok=True)
    lines = (SHARED / "ir" / "claudedocs" / "corpus.jsonl").read_text("utf-8").splitlines()[:_ENGLISH]
    pages = {f"en-{number:03}.md": str(json.loads(line)["text"]) for number, line in enumerate(lines)}
    for name, text in {**pages, **german_pages(_GERMAN), **french_pages(_FRENCH)}.items():
        (folder / name).write_text(text, "utf-8")
    return folder


async def documentation_index() -> Path:
    """The data folder of an index that holds the documentation, up to date."""
    await _docs_source("mcp-docs", SHARED / "docs-mcp" / "docs")
    return _folder()


async def _docs_source(name: str, folder: Path) -> None:
    listed = await _citemark("sources", "--json")
    if name not in {source["name"] for source in listed["sources"]}:
        await _citemark("add", "docs", str(folder), "--name", name, "--json")
    await _citemark("sync", name, "--json")


async def _text_shares(rows: list[dict[str, Any]]) -> list[float]:
    """UTF-8 bytes of the result's text, which is what most hosts hand to the model, against the sections' bytes."""
    shares: list[float] = []
    async with served(_folder()) as client:
        for row in rows:
            result = await client.call_tool("kb_retrieve_evidence", {"question": row["question"]})
            text = "".join(block.text for block in result.content if isinstance(block, TextContent))
            if row["section_bytes"]:
                shares.append(len(text.encode()) / row["section_bytes"])
    return shares


async def _citemark(*arguments: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        COMMAND,
        *arguments,
        env=environment(_folder()),
        cwd=str(ROOT),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    if process.returncode:
        raise BackendUnavailable(f"citemark {' '.join(arguments[:2])} failed: {out.decode()[-300:]}")
    parsed: dict[str, Any] = json.loads(out)
    return parsed


def _folder() -> Path:
    return cache() / "index-quality"
