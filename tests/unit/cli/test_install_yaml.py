"""Entries in YAML configurations: everything else stays as it is, byte for byte."""

from typing import Any, cast

import pytest
import yaml

from citemark.cli.install.yaml_editor import YamlText
from citemark.model.errors import InvalidArgument

ENTRY = {"name": "citemark", "cmd": "/bin/citemark", "args": ["serve"], "envs": {"A": "b: c", "D": "0"}}
MAPPINGS = [
    "extensions:\n  other:\n    enabled: true # mine\n",
    "# top\nprovider: x\nextensions:\n    other:\n        enabled: true\n\n# about the model\nmodel: y\n",
    "extensions: {}\nmodel: y\n",
    "model: y\n",
    "model: y",
    "",
    "extensions:\nmodel: y\n",
    "extensions:\r\n  other:\r\n    enabled: true\r\nmodel: y\r\n",
    "extensions:\n  other:\n    enabled: true",
]
LISTS = [
    "mcpServers:\n  - name: other\n    command: npx\nmodels: []\n",
    "mcpServers:\n- name: other\n  command: npx # mine\n\n# models\nmodels: []\n",
    "name: x\nmcpServers: []\n",
    "name: x\n",
]


def filled(text: str) -> dict[str, Any]:
    """The members that hold something."""
    members = cast("dict[str, Any]", yaml.safe_load(text) or {})
    return {key: value for key, value in members.items() if value}


@pytest.mark.requirement("hosts-in-their-documented-form")
@pytest.mark.parametrize(("texts", "key", "listed"), [(MAPPINGS, "extensions", False), (LISTS, "mcpServers", True)])
def test_an_entry_is_added_replaced_and_taken_out_again(texts: list[str], key: str, *, listed: bool) -> None:
    for before in texts:
        added = YamlText(before, key, listed=listed).with_entry("citemark", ENTRY)
        assert YamlText(added, key, listed=listed).entry("citemark") == ENTRY
        assert YamlText(added, key, listed=listed).with_entry("citemark", ENTRY) == added
        kept = [line for line in before.splitlines() if line.strip() and not line.startswith(key)]
        assert [line for line in kept if line not in added.splitlines()] == []
        changed = YamlText(added, key, listed=listed).with_entry("citemark", {**ENTRY, "timeout": 3})
        removed = YamlText(changed, key, listed=listed).without("citemark")
        assert filled(removed) == filled(before)
        if "other" in before:
            assert removed.rstrip("\r\n") == before.rstrip("\r\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("extensions: [", "line 1"),
        ("extensions: [a]\n", "not a mapping"),
        ("- a\n", "other than a mapping"),
        ("extensions: {other: {enabled: true}}\n", "safely"),
        ("extensions: &all\n  other: {a: 1}\nmore: *all\n", ""),
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str, says: str) -> None:
    if not says:
        assert "other: {a: 1}" in YamlText(text, "extensions", listed=False).without("citemark")
        with pytest.raises(InvalidArgument, match="safely"):
            YamlText(text, "extensions", listed=False).with_entry("citemark", ENTRY)
        return
    with pytest.raises(InvalidArgument, match=says):
        YamlText(text, "extensions", listed=False).with_entry("citemark", ENTRY)
