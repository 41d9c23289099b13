"""What an installation and an index take on disk."""

import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
from tests.bench.index import ensure_index, open_index
from tests.bench.locations import ROOT, cache

_MIB = 2**20
_TABLES = (
    "chunk",
    "chunk_terms",
    "posting_list",
    "posting_block",
    "term_stat",
    "revision",
    "section",
    "document",
    "item",
    "relationship",
)


def installation() -> dict[str, object]:
    """A fresh environment with what running needs and nothing else, made as the Makefile makes it."""
    folder = cache() / "environment"
    shutil.rmtree(folder, ignore_errors=True)
    uv = str(Path(sys.executable).with_name("uv"))
    python = str(folder / "bin" / "python")
    wheels = [str(path) for path in (ROOT / ".build" / "wheels").glob("*.whl")]
    install = [uv, "pip", "install", "--quiet", "--python", python]
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    subprocess.run([*install, "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")], check=True)
    subprocess.run([*install, "--no-deps", *wheels, str(ROOT)], check=True)
    size = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    shutil.rmtree(folder, ignore_errors=True)
    return {"mib": round(size / _MIB)}


async def disk(size: int) -> dict[str, object]:
    """Bytes per chunk by table, indexes included."""
    await ensure_index(size)
    async with open_index(size) as index:
        found = await index.stores.vectors.sets()
        tables = (*_TABLES, f"embedding_{found[0].set_id}")
        with psycopg.connect(index.dsn) as connection:
            sizes = {
                table: (connection.execute("SELECT pg_total_relation_size(%s::regclass)", (table,)).fetchone() or (0,))[
                    0
                ]
                for table in tables
            }
    per_chunk = {table.split("_1")[0]: round(total / size) for table, total in sizes.items()}
    return {"bytes_per_chunk": sum(per_chunk.values()), "tables": per_chunk}
