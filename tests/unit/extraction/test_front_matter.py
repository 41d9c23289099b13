import pytest

from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.markdown.front_matter import read_front_matter
from citemark.model.text import BlockKind

pytestmark = pytest.mark.requirement("front-matter-read-as-metadata")


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


@pytest.mark.parametrize(
    ("line", "key", "date"),
    [
        ("date: 2024-01-05", "date", "2024-01-05"),
        ("Date: 2024/1/5", "date", "2024-01-05"),
        ("date: 2024-01-05T10:00:00Z", "date", "2024-01-05T10:00:00Z"),
        ("updated_at: 2024.01.05", "modified", "2024-01-05"),
        ("created: 2024-01-05 08:30", "created", "2024-01-05 08:30"),
    ],
)
def test_dates_are_metadata_as_citations_read_them(line: str, key: str, date: str) -> None:
    assert extract_markdown(f"---\n{line}\n---\nText", fallback_title="f").metadata[key] == date


@pytest.mark.requirement("aliases-are-names")
@pytest.mark.parametrize(
    "head",
    [
        "---\naliases: [Old Name, Other]\n---",
        "---\nAliases:\n  - Old Name\n  - '[[Other|x]]'\n---",
        "---\nalias: Old Name, Other\n---",
        '+++\naliases = ["Old Name", "Other"]\n+++',
        '{\n  "aliases": ["Old Name", "Other"]\n}',
    ],
)
def test_aliases_of_every_form_are_names(head: str) -> None:
    assert extract_markdown(f"{head}\n\nText\n", fallback_title="f").aliases == ("Old Name", "Other")


def test_nested_values_are_properties_under_keys_with_dots() -> None:
    found = extract_markdown("---\na:\n  b: X\n  c: [1, 2]\nd: yes\n---\n", fallback_title="f")
    assert found.properties == {"a.b": ("x",), "a.c": ("1", "2"), "d": ("yes",)}


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize(
    "body",
    ['+++\ntitle = "Kiln\nowner = "Ada"\n+++\nBody\n', '{\n "odd": nope,\n "owner": "Ada",\n "n": 1\n}\n\nBody\n'],
)
def test_front_matter_of_any_form_with_a_fault_keeps_its_other_properties(body: str) -> None:
    found = read_front_matter(body)
    assert found is not None
    assert found.value("owner") == "Ada"
