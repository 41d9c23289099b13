"""`make bench`: measures the product beside its bars, and writes docs/benchmarks.md."""

import os

# A peer's warnings per question would be part of its time.
os.environ.setdefault("LANCE_LOG", "error")
