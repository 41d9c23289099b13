"""What a server loads before it lists its tools, and what a command does without."""

import subprocess
import sys

import pytest

_HEAVY = (
    "numpy",
    "psycopg",
    "pgvector",
    "onnxruntime",
    "tokenizers",
    "lxml",
    "openpyxl",
    "docx",
    "icalendar",
    "py3langid",
)
"""What we load when it is needed; httpx2, cryptography and rich come with the MCP SDK and structlog."""

_PROGRAM = f"""
import sys
import citemark.app.serve_stdio
print(*[name for name in {_HEAVY!r} if name in sys.modules])
"""


@pytest.mark.requirement("i2-bar-start")
def test_tools_are_listed_before_anything_heavy_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.requirement("i3-3-lazy")
def test_a_command_over_the_index_loads_no_schema_of_a_tool_and_no_classifier_of_languages() -> None:
    program = (
        "import sys, citemark.app.open_index; from citemark.indexing.language_detector import LanguageDetector; "
        "LanguageDetector(); print(*{'mcp_types', 'py3langid'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
