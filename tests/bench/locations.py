"""Where benchmarks keep what is costly to make again, and where their corpora and questions are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
GOLDEN = ROOT / "tests" / "data" / "golden"
COLLECTIONS = ("scifact", "cranfield", "claudedocs")


def cache() -> Path:
    """The cache folder; PostgreSQL's own account must be able to pass it."""
    folder = Path(os.environ.get("CITEMARK_BENCH_DIR", ROOT / ".build" / "bench")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def index_folder(size: int) -> Path:
    """The data folder of the index that holds `size` chunks."""
    return cache() / f"index-{size}"


def pages_folder(size: int) -> Path:
    """The Markdown files that the index of `size` chunks was made of."""
    return cache() / f"pages-{size}"
