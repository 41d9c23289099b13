"""Configurations of hosts, changed in one place and nowhere else."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.cli.install.json_editor import JsonText, read_spans
from citemark.cli.install.toml_editor import TomlText
from citemark.model.errors import InvalidArgument

ENTRY: dict[str, Any] = {
    "command": "/opt/cite mark/bin/citemark",
    "args": ["serve"],
    "env": {"CITEMARK_DATA_DIR": "/d"},
}

scalars = st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)
servers = st.dictionaries(
    st.text(min_size=1, max_size=8).filter(lambda name: name != "citemark"),
    st.dictionaries(st.text(max_size=6), values, max_size=3),
    max_size=3,
)
documents = st.tuples(st.dictionaries(st.text(max_size=6), values, max_size=3), st.none() | servers).map(
    lambda parts: {**parts[0], **({} if parts[1] is None else {"servers": parts[1]})}
)
writings = st.sampled_from([None, 2, 4, "\t"])


def text_of(document: object, indent: int | str | None) -> str:
    return json.dumps(document, indent=indent, ensure_ascii=False)


def jsonc(text: str) -> JsonText:
    return JsonText(text, "servers", comments=True)


@pytest.mark.requirement("install-asks-and-keeps-backup")
@given(documents, writings)
def test_an_entry_put_in_changes_nothing_else_and_taken_out_leaves_the_bytes_that_were_there(
    document: dict[str, Any], indent: int | str | None
) -> None:
    text = text_of(document, indent)
    before = JsonText(text, "servers", comments=False)
    after = before.with_entry("citemark", ENTRY)
    assert json.loads(after) == {**document, "servers": {**document.get("servers", {}), "citemark": ENTRY}}
    assert JsonText(after, "servers", comments=False).entry("citemark") == ENTRY
    again = JsonText(after, "servers", comments=False)
    assert again.with_entry("citemark", ENTRY | {"args": []}) != after
    if document.get("servers"):
        assert again.without("citemark") == text


@given(documents, writings)
def test_the_spans_of_a_document_are_its_values(document: dict[str, Any], indent: int | str | None) -> None:
    text = text_of(document, indent)
    node = read_spans(text, comments=True)
    assert node.value == document
    for member in node.members or ():
        assert json.loads(text[member.value.start : member.value.end]) == document[member.key]


COMMENTED = """\
// my servers
{
\t"servers": {
\t\t/* the first */
\t\t"first": { "command": "npx", "args": ["//no comment"], }, // of two
\t\t"second": {
\t\t\t"url": "https://example.org" // remote
\t\t} // the last
\t},
\t"inputs": [],
}
"""


@pytest.mark.requirement("install-asks-and-keeps-backup")
def test_comments_and_trailing_commas_stay_where_they_are() -> None:
    after = jsonc(COMMENTED).with_entry("citemark", {"command": "citemark"})
    assert after == COMMENTED.replace(
        "\t\t} // the last\n", '\t\t}, // the last\n\t\t"citemark": {\n\t\t\t"command": "citemark"\n\t\t}\n'
    )
    assert jsonc(after).without("citemark") == COMMENTED
    gone = jsonc(COMMENTED).without("first")
    assert "/* the first */" in gone
    assert list(read_spans(gone, comments=True).value["servers"]) == ["second"]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", '{\n  "servers": {\n    "x": {}\n  }\n}\n'),
        ("{}", '{\n  "servers": {\n    "x": {}\n  }\n}'),
        ('{"servers":{"a":{}}}', '{"servers":{"a":{}, "x": {}}}'),
        ('{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1,\r\n    "servers": {\r\n        "x": {}\r\n    }\r\n}\r\n'),
        ('{\n  "servers": {} // none yet\n}', '{\n  "servers": {\n    "x": {}\n  } // none yet\n}'),
        ('{\n  "servers": {\n    // none yet\n  }\n}', '{\n  "servers": {\n    // none yet\n    "x": {}\n  }\n}'),
    ],
)
def test_the_entry_is_written_as_the_file_is(text: str, after: str) -> None:
    assert jsonc(text).with_entry("x", {}) == after


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "other than an object"),
        ("{", "line 1, column 2"),
        ('{"a": 1 "b": 2}', "comma"),
        ('{"servers": []}', "'servers' is not an object"),
        ('{\n  "a": 1,\n}', "line 2, column 9: there is a comma after the last one"),
        ('{"a": 1} // note', "more after the end"),
        ('{"a": {}, "a": {}}', "twice"),
        ('{"a": NaN}', "NaN"),
        ("{'a': 1}", "double quotes"),
        ("[" * 5000, "too deep"),
    ],
)
def test_a_malformed_document_is_refused_and_the_place_is_named(text: str, says: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        JsonText(text, "servers", comments=False)
    assert says in refused.value.message


TOML = '''\
model = "gpt" # as it was
notes = """
[mcp_servers.citemark]
command = "not this one"
"""

# about the other one
[mcp_servers.other]
command = "npx"
args = [
  "[mcp_servers.citemark]", # nor this
]

[mcp_servers.other.env]
TOKEN = 'x'

# a profile
[profiles."my own"]
model = "o"
'''


def toml(text: str) -> TomlText:
    return TomlText(text, "mcp_servers")


@pytest.mark.requirement("install-asks-and-keeps-backup")
@pytest.mark.parametrize("text", [TOML, TOML.replace("\n", "\r\n"), "", "a = 1\n", "[mcp_servers]\n"])
def test_inserting_a_table_leaves_the_rest_byte_for_byte(text: str) -> None:
    after = toml(text).with_entry("citemark", ENTRY)
    assert after.startswith(text)
    assert tomllib.loads(after)["mcp_servers"]["citemark"] == ENTRY
    assert toml(after).without("citemark") == text


@pytest.mark.requirement("install-asks-and-keeps-backup")
def test_a_table_in_the_middle_is_replaced_where_it_stands_with_what_was_added_to_it() -> None:
    head, comment, tail = TOML.partition("# about the other one\n")
    first = toml(head).with_entry("citemark", ENTRY) + "\n" + comment + tail
    entry = {**ENTRY, "startup_timeout_sec": 20.5, "tools": {"kb.search": {"approval_mode": "prompt"}}}
    after = toml(first).with_entry("citemark", entry)
    assert after.startswith(head)
    assert after.endswith("\n\n" + comment + tail)
    assert tomllib.loads(after)["mcp_servers"]["citemark"] == entry
    assert toml(after).without("citemark") == TOML


@given(st.dictionaries(st.text(min_size=1, max_size=6), st.text(max_size=12), max_size=3))
def test_whatever_an_environment_holds_is_read_back_as_it_is(environment: dict[str, str]) -> None:
    entry = {"command": "citemark", "env": environment}
    after = toml(TOML).with_entry("citemark", entry)
    assert tomllib.loads(after)["mcp_servers"]["citemark"] == entry


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { citemark = { command = "x" } }\n',
        'mcp_servers.citemark.command = "x"\n',
        '[mcp_servers]\ncitemark = { command = "x" }\n',
    ],
)
def test_an_entry_written_in_another_way_is_refused_rather_than_damaged(text: str) -> None:
    with pytest.raises(InvalidArgument, match="safely"):
        toml(text).with_entry("citemark", ENTRY)
    with pytest.raises(InvalidArgument, match="safely"):
        toml(text).without("citemark")


def test_a_malformed_toml_is_refused_with_the_line() -> None:
    with pytest.raises(InvalidArgument, match="line 2"):
        toml('a = "b"\nc = \n')
    with pytest.raises(InvalidArgument, match="not a table"):
        toml("mcp_servers = 3\n")
