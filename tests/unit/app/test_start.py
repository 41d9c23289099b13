"""What a server loads before it lists its tools, and what a command does without."""

import subprocess
import sys

import pytest

_HEAVY = ("numpy", "psycopg", "pgvector", "onnxruntime", "tokenizers", "httpx2", "cryptography", "lxml", "rich")
_PROGRAM = f"""
import sys
from citemark.tools.startup_imports import defer_sdk_packages, import_structlog_without_rich
defer_sdk_packages()
import_structlog_without_rich()
import citemark.app.serve_stdio
print(*[name for name in {_HEAVY!r} if name in sys.modules])
"""


@pytest.mark.requirement("i2-bar-start")
def test_tools_are_listed_before_anything_heavy_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_command_over_the_index_loads_no_schema_of_a_tool() -> None:
    program = "import sys; import citemark.app.open_index; sys.exit('mcp_types' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
