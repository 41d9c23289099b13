"""The bundle, the plugins and their skill: what hosts install by themselves."""

import json
import re
import tomllib
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from citemark import __version__
from citemark.tools.kb import KB_TOOLS
from citemark.tools.registry import spell

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugins" / "citemark"
BUNDLE = ROOT / "packages" / "citemark-bundle"


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def bundle() -> ModuleType:
    spec = util.spec_from_file_location("citemark_bundle_main", BUNDLE / "server" / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.requirement("version-from-one-place")
def test_files_that_cannot_read_the_version_repeat_it() -> None:
    manifests = [PLUGIN / ".claude-plugin/plugin.json", PLUGIN / ".codex-plugin/plugin.json", BUNDLE / "manifest.json"]
    assert {read(path)["version"] for path in manifests} == {__version__}
    assert tomllib.loads((BUNDLE / "pyproject.toml").read_text())["project"]["version"] == __version__


@pytest.mark.requirement("bundle")
def test_the_settings_of_the_bundle_become_sources(bundle: ModuleType) -> None:
    assert bundle.additions({}) == []
    assert bundle.additions({"BUNDLED_FOLDER": "${user_config.folder}"}) == []
    settings = {"BUNDLED_FOLDER": "/n", "BUNDLED_NEXTCLOUD": "https://c", "BUNDLED_USER": "mia"}
    assert bundle.additions(settings) == [["add", "docs", "/n", "--no-sync"]]
    (_, account) = bundle.additions({**settings, "CITEMARK_APP_PASSWORD": "secret"})
    assert account == ["add", "nextcloud", "https://c", "--user", "mia", "--no-sync", "--yes"]


@pytest.mark.requirement("bundle")
def test_the_bundle_hands_each_of_its_settings_to_the_server() -> None:
    manifest = read(BUNDLE / "manifest.json")
    used = re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(manifest["server"]))
    assert sorted(used) == sorted(manifest["user_config"])
    assert [name for name, each in manifest["user_config"].items() if each.get("sensitive")] == ["app_password"]
    assert (BUNDLE / manifest["server"]["entry_point"]).is_file()


@pytest.mark.requirement("plugins-with-a-skill")
def test_both_plugins_have_the_server_and_the_skill() -> None:
    for marketplace in (ROOT / ".claude-plugin/marketplace.json", ROOT / ".agents/plugins/marketplace.json"):
        (plugin,) = read(marketplace)["plugins"]
        source = plugin["source"] if isinstance(plugin["source"], str) else plugin["source"]["path"]
        assert (ROOT / source).resolve() == PLUGIN
    codex = read(PLUGIN / ".codex-plugin/plugin.json")
    server = read(PLUGIN / codex["mcpServers"])["mcpServers"]["citemark"]
    assert [server["command"], *server["args"]] == ["uvx", "citemark", "serve"]
    assert (PLUGIN / codex["skills"] / "citemark/SKILL.md").is_file()


@pytest.mark.requirement("plugins-with-a-skill")
def test_the_skill_names_tools_that_are_there() -> None:
    text = (PLUGIN / "skills/citemark/SKILL.md").read_text("utf-8")
    _, front, body = text.split("---", 2)
    fields = dict(line.split(": ", 1) for line in front.strip().splitlines())
    assert fields["name"] == "citemark"
    assert len(fields["description"]) <= 1024
    tools = {spell(tool.name, "underscore") for tool in KB_TOOLS}
    named = set(re.findall(r"\bkb_\w+", body))
    assert named
    assert named <= tools
