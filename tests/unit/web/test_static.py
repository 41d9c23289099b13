"""What pages load: the scripts of others as they were published, and nothing from elsewhere."""

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from citemark.web.rendering import POLICY, asset

ROOT = Path(__file__).resolve().parents[3]
STATIC = ROOT / "src" / "citemark" / "web" / "static"
TEMPLATES = ROOT / "src" / "citemark" / "web" / "templates"
MOST_BYTES = 120 * 1024


def vendored() -> dict[str, dict[str, str]]:
    return tomllib.loads((STATIC / "vendored.toml").read_text("utf-8"))


@pytest.mark.requirement("vendored-as-published")
def test_scripts_of_others_are_those_that_were_recorded_and_pinned() -> None:
    locked = json.loads((ROOT / "tests" / "node" / "package-lock.json").read_text("utf-8"))["packages"]
    for name, recorded in vendored().items():
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == recorded["sha256"]
        entry = locked[f"node_modules/{recorded['package']}"]
        assert (entry["version"], entry["license"]) == (recorded["version"], recorded["licence"])
        assert (STATIC / recorded["text"]).read_text("utf-8").strip()
        published = ROOT / ".build" / "node" / "node_modules" / recorded["package"] / recorded["file"]
        if published.exists():  # a machine without Node has only the record
            assert published.read_bytes() == (STATIC / name).read_bytes()


def test_every_script_is_ours_or_recorded() -> None:
    scripts = {path.name for path in STATIC.glob("*.js")}
    assert scripts == {"page.js", "ask.js", "graph.js", "host_app.js", *vendored()}


@pytest.mark.requirement("nothing-inline-nothing-outside")
def test_templates_have_no_script_style_or_handler_inside_and_load_nothing_from_elsewhere() -> None:
    for path in set(TEMPLATES.rglob("*.html")) - {TEMPLATES / "apps" / "frame.html"}:  # one file, held by its policy
        text = path.read_text("utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=\"/assets/)|<style|\sstyle=|\son\w+=|hx-on|hx-vals=.js:", text), (
            path
        )
        assert not re.search(r"(?:src|href|action)=\"(?:https?:)?//", text), path
        assert "| safe" not in text
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'; ")


@pytest.mark.requirement("first-load-is-light")
def test_a_first_load_is_light() -> None:
    loaded = ["htmx.min.js", "page.js", "page.css", "icon.svg"]
    assert sum((STATIC / name).stat().st_size for name in loaded) < MOST_BYTES


def test_only_files_of_the_pages_are_handed_out() -> None:
    assert asset("page.css")
    assert asset("../rendering.py") is None
    assert asset(".hidden") is None
    assert asset("none.css") is None
