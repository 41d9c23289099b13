"""The entry for the registry of MCP servers, held to a schema that was written from the registry's own pages."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from citemark import __version__

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT.parent / "shared" / "data" / "docs-mcp" / "docs" / "registry"
ENTRY: dict[str, Any] = json.loads((ROOT / "server.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json.loads((ROOT / "packages" / "server.schema.json").read_text("utf-8"))


@pytest.mark.requirement("registry-entry")
def test_the_entry_is_valid_and_names_this_version(schema: dict[str, Any]) -> None:
    jsonschema.validate(ENTRY, schema)
    (package,) = ENTRY["packages"]
    assert {ENTRY["version"], package["version"]} == {__version__}
    assert f"<!-- mcp-name: {ENTRY['name']} -->" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.requirement("registry-entry")
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("description",), "x" * 101),
        (("name",), "citemark"),
        (("version",), "^1.0"),
        (("packages", 0, "transport"), {"type": "http"}),
        (("packages", 0, "registryType"), "pip"),
        (("packages", 0, "packageArguments"), [{"type": "positional"}]),
        (("packages", 0, "environmentVariables"), [{"description": "nameless"}]),
        (("more",), 1),
    ],
)
def test_the_schema_refuses_what_the_registry_refuses(
    schema: dict[str, Any], path: tuple[str | int, ...], value: object
) -> None:
    broken = json.loads(json.dumps(ENTRY))
    place = broken
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


@pytest.mark.requirement("registry-entry")
def test_the_schema_accepts_every_example_of_the_registrys_pages(schema: dict[str, Any]) -> None:
    if not PAGES.is_dir():
        pytest.skip("the registry's pages are not beside the repository")
    blocks = [
        block
        for page in sorted(PAGES.glob("*.mdx"))
        for block in re.findall(r"```json server\.json[^\n]*\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]
    examples = [json.loads(block) for block in blocks if '"$schema"' in block and "..." not in block]
    assert len(examples) >= 5
    for example in examples:
        jsonschema.validate(example, schema)
