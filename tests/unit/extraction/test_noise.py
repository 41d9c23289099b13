"""What is in a file and is not text becomes a placeholder, and every position stays that of the file."""

import base64
import random
from pathlib import Path

import pytest

from citemark.extraction.dispatch import _text_of  # pyright: ignore[reportPrivateUsage]
from citemark.extraction.html.document import extract_html
from citemark.extraction.noise import quieted

pytestmark = pytest.mark.requirement("noise-is-not-text")

FAULT = Path(__file__).parents[4] / "shared" / "data" / "faults" / "10" / "datauri.md"
_BYTES = random.Random(7).randbytes(30_000)
_ENCODED = base64.b64encode(_BYTES).decode()
_WRAPPED = base64.encodebytes(_BYTES).decode()
_SCRIPT = "!function(e,t){return e(t);}(window,function(n){var r={};n.a=r;});" * 40


@pytest.mark.parametrize(
    "noise",
    [
        f"data:image/png;base64,{_ENCODED}",
        f"data:font/woff2;charset=utf-8;base64,{_ENCODED[:400]}",
        _WRAPPED,
        _ENCODED,
        "\n".join(f'    "{line}" +' for line in _WRAPPED.split()),
        _BYTES.hex(),
        _SCRIPT,
        ".a{color:red;margin:0}.b{padding:1px;top:0}" * 60,
    ],
    ids=["data", "font", "wrapped", "one line", "in code", "hex", "script", "styles"],
)
@pytest.mark.parametrize("name", ["page.md", "page.txt", "page.py"])
def test_what_nobody_reads_becomes_a_placeholder_that_leaves_all_else_where_it_is(noise: str, name: str) -> None:
    body = f"The wagtail count is 17.\n\n{noise}\n\nThe dipper count is 23.\n"
    found = _text_of(name, body.encode())
    assert len(found.body) == len(body)
    assert found.body.count("\n") == body.count("\n")
    for kept in ("The wagtail count is 17.", "The dipper count is 23."):
        assert found.body.index(kept) == body.index(kept)
    assert noise[40:100] not in found.body
    assert any(size in found.body for size in (" B]", " KB]"))
    assert sum(len(block.span) for block in found.blocks) < 300


@pytest.mark.parametrize(
    "text",
    [
        "Word " * 2_000,
        "https://example.org/" + "a-long-path-of-words/" * 20,
        '{"name":"a card","text":"what it says in a sentence","tags":["one","two"]},' * 40,
        "die Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichen" * 4,
        "A" * 5_000,
        "ACGTTGCAACGT" * 50,
        "春はあけぼの。" * 400,
        "| " + " | ".join(f"cell {number}" for number in range(400)) + " |",
        "0123456789 " * 200,
        " ".join(f"[{number}](page{number}.md)" for number in range(400)),
        "someVeryLongCamelCaseIdentifierThatGoesOnForeverAndEver" * 4,
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_long_text_is_not_taken_for_noise(text: str) -> None:
    assert quieted(text).text == text


def test_the_page_of_the_fault_has_its_two_counts_and_no_data() -> None:
    data = FAULT.read_bytes()
    found = _text_of("datauri.md", data)
    assert len(found.body) == len(data.decode())
    assert "[image/png, 100 KB])" in found.body
    assert found.body.splitlines()[6] == "The dipper count is 23."


def test_a_web_page_shows_no_encoded_data() -> None:
    page = f"<html><body><p>The wagtail count is 17.</p><pre>{_WRAPPED}</pre><p>{_ENCODED}</p></body></html>"
    found = extract_html(page.encode(), fallback_title="t")
    assert "17" in found.body
    assert len(found.body) < 300


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece", ["A", "a1B2" * 12 + "\n", "data:a/b,", 'd="M', ' d="1 ', "x" * 159 + " ", "data:;a=b"]
)
def test_hostile_repetition_is_read_in_linear_time(piece: str) -> None:
    quieted(piece * (1_000_000 // len(piece)))


def test_the_backtick_behind_data_in_code_closes_the_code() -> None:
    read = quieted(f"See `data:image/png;base64,{'A1b2' * 40}` there")
    assert read.text.split() == ["See", "`[image/png,", "182", "B]`", "there"]
