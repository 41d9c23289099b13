import pytest

from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.markdown.front_matter import read_front_matter
from citemark.model.text import BlockKind

pytestmark = pytest.mark.requirement("i2-5-front-matter")


def test_values_and_flat_lists_are_read_as_written() -> None:
    head = read_front_matter(
        "---\ntitle: 'A: b'\ndate: 2024-01-02\nflag: yes\ntags: [x, y]\nkeywords:\n  - z\n---\nText"
    )
    assert head is not None
    assert head.values == {"title": "A: b", "date": "2024-01-02", "flag": "yes"}
    assert head.words("tags") == ("x", "y")
    assert head.words("keywords") == ("z",)
    assert head.span.end == len("---\ntitle: 'A: b'\ndate: 2024-01-02\nflag: yes\ntags: [x, y]\nkeywords:\n  - z\n---")


def test_tags_may_be_a_string_with_commas() -> None:
    assert extract_markdown("---\ntags: one, two ,one\n---\n", fallback_title="f").tags == ("one", "two")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_ending_is_understood(ending: str) -> None:
    body = ending.join(["---", "title: Here", "---", "Text"])
    extracted = extract_markdown(body, fallback_title="f")
    assert extracted.title == "Here"
    assert [block.kind for block in extracted.blocks] == [BlockKind.FRONT_MATTER, BlockKind.PARAGRAPH]
    assert extracted.blocks[1].span.of(body) == "Text"


def test_yaml_that_does_not_parse_is_read_line_by_line() -> None:
    extracted = extract_markdown("---\ntitle: MCP: the protocol\nbad: [1\n---\nText", fallback_title="f")
    assert extracted.title == "MCP: the protocol"


def test_aliases_are_not_followed_so_a_bomb_stays_small() -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12))
    head = read_front_matter(f"---\nl0: &l0 [x, x]\n{levels}\ntitle: Safe\n---\n")
    assert head is not None
    assert head.values["title"] == "Safe"
    assert head.lists == {"l0": ("x", "x")}


@pytest.mark.parametrize(
    "body", ["---\n" + "[" * 30_000 + "\n---\n", "---\n" + "a:\n " * 9_000 + "\n---\n", "---\n\x01\n---\n"]
)
def test_hostile_yaml_costs_nothing_but_its_values(body: str) -> None:
    assert extract_markdown(body, fallback_title="f").title == "f"


@pytest.mark.parametrize(
    "body",
    [
        "---\nno end\n",
        "text\n---\ntitle: x\n---\n",
        "----\ntitle: x\n----\n",
        "",
        "---\n\n# Welcome\n\nThe pump must be vented weekly.\n\n---\n\n# Second\n",
        "---\r\n# Welcome\r\n---\r\ntext",
        "---\nSee https://a.example: it says more.\n---\n",
        "---\n- one: two\n---\n",
        "---\n---\ntext",
    ],
)
def test_a_thematic_break_is_not_front_matter(body: str) -> None:
    assert read_front_matter(body) is None


def test_no_text_between_two_thematic_breaks_is_lost() -> None:
    extracted = extract_markdown("---\n\n# Welcome\n\nVent the pump.\n\n---\n\n# Second\n", fallback_title="f")
    assert [section.title for section in extracted.sections] == ["Welcome", "Second"]
    assert extracted.title == "Welcome"


@pytest.mark.parametrize(
    ("above", "ending"),
    [
        ("\n", "\n"),
        ("# A comment\n\n", "\n"),
        ("  # A comment\r", "\r"),
        ('"og:title" : y\n', "\n"),
        ("og:title:\n", "\n"),
    ],
)
def test_front_matter_may_begin_with_blank_lines_comments_and_any_key(above: str, ending: str) -> None:
    head = read_front_matter(f"---{ending}{above}title: x{ending}---{ending}")
    assert head is not None
    assert head.values["title"] == "x"
