"""Versions of a passage are told from passages that say something else."""

import pytest

from citemark.text.versions import PassageWords, VersionOrder

PASSAGE = (
    "The client MUST send its version [in the header](/2025-06-18/basic) when it connects to a server, and the server "
    "answers within 30 seconds, or the connection is closed by the client for good. See https://a.example/2025 next."
)


OLD, NEW = "spec/2025-06-18/a.md", "spec/draft/a.md"


def same(one: str, other: str, pages: tuple[str, str] = (OLD, NEW)) -> bool:
    words, others = [PassageWords("docs", page, text) for page, text in zip(pages, (one, other), strict=True)]
    assert words.repeats(others) == others.repeats(words)
    return words.repeats(others)


@pytest.mark.requirement("near-versions-quoted-once")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/2025-06-18/basic", "/draft/basic"),
        ("https://a.example/2025", "https://a.example/2026"),
        ("answers", "replies"),
        ("a server, and", "a server and"),
        ("for good", "permanently"),
    ],
)
def test_links_and_a_few_plain_words_make_a_version(before: str, after: str) -> None:
    assert before in PASSAGE
    assert same(PASSAGE, PASSAGE.replace(before, after))


@pytest.mark.requirement("near-versions-quoted-once")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("30", "60"),
        ("MUST", "SHOULD"),
        ("answers", "never answers"),
        ("answers", "does not answer"),
        ("its version", "its MCP-Version"),
        ("its version", "`protocolVersion`"),
        ("when it connects", "when Anna connects"),
        ("client MUST send its version", "server MUST send its version"),
        ("when it connects to a server, and the server answers", "at once"),
    ],
)
def test_a_passage_with_another_number_negation_duty_or_name_is_another_passage(before: str, after: str) -> None:
    assert before in PASSAGE
    assert not same(PASSAGE, PASSAGE.replace(before, after, 1))


@pytest.mark.requirement("repeated-passages-are-one-hit")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("- [x] rotate", "- [ ] rotate"),
        ("| resources | yes | |", "| resources | | yes |"),
        ("cache is enabled", "cache is disabled"),
        ("On the primary server", "On the replica server"),
        ("The log is encrypted", "The log is unencrypted"),
        ("Written in `C#`", "Written in `C`"),
        ("if a != b", "if a = b"),
    ],
)
def test_a_ticked_box_a_moved_cell_and_an_opposite_make_another_passage(one: str, other: str) -> None:
    rest = " " + "and the other words are the same in every version of it " * 3
    assert same(one + rest, one + rest)
    assert not same(one + rest, other + rest)


@pytest.mark.requirement("repeated-passages-are-one-hit")
@pytest.mark.parametrize(
    ("pages", "versions"),
    [
        ((OLD, NEW), True),
        (("guide/1.9/a.md", "guide/a.md"), True),
        (("spec/2024-11-05.md", "spec/2025-06-18.md"), True),
        (("spec/1.2", "spec/draft"), True),
        ((OLD, OLD), False),
        ((OLD, "spec/draft/b.md"), False),
        (("guide/a.md", "guides/1.9/a.md"), False),
        (("a.md", "b.md"), False),
    ],
)
def test_only_versions_of_a_page_may_differ_in_a_word(pages: tuple[str, str], versions: bool) -> None:
    reworded = PASSAGE.replace("answers", "replies")
    assert same(PASSAGE, PASSAGE, pages)
    assert same(PASSAGE, reworded, pages) == versions
    assert not PassageWords("docs", pages[0], PASSAGE).repeats(PassageWords("other", pages[1], reworded))


@pytest.mark.requirement("repeated-passages-are-one-hit")
def test_pages_that_are_no_versions_may_differ_in_the_targets_of_links_alone() -> None:
    pages = ("a.md", "b.md")
    assert same("See [the pump](one.md).", "See [the  pump](two.md).", pages)
    assert not same("See https://a.example/x86.", "See https://a.example/arm.", pages)


def test_the_order_of_words_matters() -> None:
    assert not same("the pump feeds the boiler " + "and so on " * 9, "the boiler feeds the pump " + "and so on " * 9)


@pytest.mark.requirement("newest-dated-version-first")
def test_the_named_version_comes_before_the_newest_and_a_draft_comes_last() -> None:
    paths = ["spec/draft/a.md", "spec/a.md", "spec/2024-11-05/a.md", "spec/2025-06-18/a.md", "guide/1.9/a.md"]
    dated = dict.fromkeys(paths, "") | {"spec/a.md": "2025-01-01T08:00:00Z"}

    def order(question: str) -> list[str]:
        standing = VersionOrder([question]).standing
        return sorted(paths, key=lambda path: standing(path, dated[path]), reverse=True)

    assert order("which?") == [paths[3], paths[1], paths[2], paths[4], paths[0]]
    assert order("which in the Draft?")[0] == paths[0]
    assert order("which on 2024-11-05?")[0] == paths[2]
    assert order("which in v1.9?")[0] == paths[4]


@pytest.mark.requirement("newest-dated-version-first")
def test_numbers_of_versions_are_numbers() -> None:
    standing = VersionOrder().standing
    assert standing("guide/1.10/a.md", "") > standing("guide/v1.9/a.md", "") > standing("guide/a.md", "")


@pytest.mark.requirement("markup-makes-no-version")
def test_lines_of_tags_make_no_difference_except_in_code() -> None:
    assert same(f"<Note>\n{PASSAGE}\n</Note>", f'<div className="flex gap-2">\n\n{PASSAGE}\n</div>')
    assert not same(f'<Card title="Old">\n{PASSAGE}', f'<Card title="New">\n{PASSAGE}')
    code = "```html\n<b>\n```\n"
    assert not same(f"{code}{PASSAGE}", f"{code.replace('<b>', '<i>')}{PASSAGE}")
