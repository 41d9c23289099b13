"""Answers, not speed: the product's own evaluation, through its command."""

import asyncio
import json
from pathlib import Path
from typing import Any

from mcp_types import TextContent
from tests.bench.measure import median
from tests.bench.places import COLLECTIONS, ROOT, SHARED, cache
from tests.bench.serving import COMMAND, environment, served

from citemark.model.errors import BackendUnavailable


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
    report = await _citemark("eval", str(SHARED / "golden" / "docs-dev.yaml"), "--json")
    rows = report["rows"]
    answerable = [row for row in rows if row["answerable"]]
    shares = [row["evidence_bytes"] / row["section_bytes"] for row in answerable if row["section_bytes"]]
    return {
        "answerable": len(answerable),
        "unanswerable": len(rows) - len(answerable),
        "evidence_hit_at_5": report["evidence_hit_at_5"],
        "document_hit_at_5": report["document_hit_at_5"],
        "lost": sum(row["abstained"] for row in answerable),
        "rejected": sum(row["abstained"] for row in rows if not row["answerable"]),
        "bytes_share": round(median(shares), 4),
        "text_share": round(median(await _text_shares(answerable)), 4),
        "curve": report["curve"],
    }


async def documentation_index() -> Path:
    """The data folder of an index that holds the documentation, up to date."""
    listed = await _citemark("sources", "--json")
    if "mcp-docs" not in json.dumps(listed):
        await _citemark("add", "docs", str(SHARED / "docs-mcp" / "docs"), "--name", "mcp-docs", "--json")
    await _citemark("sync", "mcp-docs", "--json")
    return _folder()


async def _text_shares(rows: list[dict[str, Any]]) -> list[float]:
    """UTF-8 bytes of the result's text, which is what most hosts hand to the model, against the sections' bytes."""
    shares: list[float] = []
    async with served(_folder()) as client:
        for row in rows:
            result = await client.call_tool("kb.retrieve_evidence", {"question": row["question"]})
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
