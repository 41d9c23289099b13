"""Stops the server for a process that had no time left to stop it: `python -m citemark.store.embedded DATA_DIR`."""

import sys
from pathlib import Path

from citemark.store.embedded.postgres import EmbeddedPostgres

if __name__ == "__main__":
    EmbeddedPostgres(Path(sys.argv[1])).stop_unused()
