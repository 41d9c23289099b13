import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.markdown.headings import plain, read_heading, slugify
from citemark.model.text import Section


def sections(body: str) -> list[Section]:
    return list(extract_markdown(body, fallback_title="f").sections)


@pytest.mark.requirement("page-and-section-ids-are-paths")
def test_a_slug_is_the_path_of_headings() -> None:
    found = sections("# Guide\n## Install\n### On Linux\n## Use\n")
    assert [section.slug for section in found] == ["guide", "guide/install", "guide/install/on-linux", "guide/use"]
    assert [section.parent for section in found] == [None, "guide", "guide/install", "guide"]
    assert found[2].heading_path == ("Guide", "Install", "On Linux")


@pytest.mark.requirement("repeated-headings-are-numbered")
def test_repeated_headings_and_their_children_are_numbered() -> None:
    found = sections("## A\n### B\n### B\n## A\n### B\n")
    assert [section.slug for section in found] == ["a", "a/b", "a/b~2", "a~2", "a~2/b"]


@pytest.mark.requirement("body-edit-changes-no-identity")
def test_editing_the_text_between_headings_changes_no_slug() -> None:
    before = sections("# A\n\nold\n\n## B\n")
    after = sections("# A\n\nnew and\n\n- longer\n\n## B\n")
    assert [section.slug for section in before] == [section.slug for section in after]


def test_a_section_ends_at_the_next_heading_of_any_level() -> None:
    body = "# A\none\n\n### C\ntwo\n\n\n# D\n"
    assert [section.span.of(body) for section in sections(body)] == ["# A\none", "### C\ntwo", "# D"]


def test_a_skipped_level_hangs_below_the_next_higher_heading() -> None:
    assert [section.slug for section in sections("## A\n#### B\n### C\n# D\n")] == ["a", "a/b", "a/c", "d"]


@pytest.mark.parametrize(
    ("raw", "level", "title", "slug"),
    [
        ("## `CompleteResult`", 2, "CompleteResult", "completeresult"),
        ("# The **bold** [link](./x.md) and ![img](y.png) ##", 1, "The bold link and img", "the-bold-link-and-img"),
        ("### snake_case_name and __init__", 3, "snake_case_name and init", "snake_case_name-and-init"),
        ("## `a_b` & <Badge>new</Badge> &amp; C\\*", 2, "a_b & new & C*", "a_b--new--c"),
        (r"## \_\_init\_\_", 2, "__init__", "__init__"),
        (r"## \*args and \*\*kwargs", 2, "*args and **kwargs", "args-and-kwargs"),
        (r"## **\*bold\*** \[a\](b) \<T\> \&amp;", 2, "*bold* [a](b) <T> &amp;", "bold-ab-t-amp"),
        (r"## \`a\` and `b\*`", 2, r"`a` and b\*", "a-and-b"),
        ("# &#xE000;9&#xE001;", 1, "\ue0009\ue001", "9"),
        ("Two\nlines\n===", 1, "Two lines", "two-lines"),
        ("Under\r\n---", 2, "Under", "under"),
        ("## Über 世界 … हिन्दी", 2, "Über 世界 … हिन्दी", "über-世界--हिन्दी"),
        ("## Title {#own-id}", 2, "Title", "own-id"),
        ("## C#", 2, "C#", "c"),
        ("## !!!", 2, "!!!", "section"),
        ("##", 2, "", "section"),
        ("# #", 1, "", "section"),
    ],
)
def test_a_heading_gives_its_plain_title_and_its_anchor(raw: str, level: int, title: str, slug: str) -> None:
    assert read_heading(raw) == (level, title, slug)


def test_code_in_a_heading_keeps_its_marks() -> None:
    assert plain("use `*args` and `<T>`") == "use *args and <T>"


def test_an_endless_heading_is_shortened() -> None:
    _, title, slug = read_heading("# " + "word " * 100_000)
    assert len(title) <= 200
    assert len(slug) <= 100
    assert slugify("x" * 1000) == "x" * 100


def test_the_slug_of_a_section_stays_short_and_unique_below_long_headings() -> None:
    long = [f"{number}{'界' * 150}" for number in range(6)]
    nested = [f"{'#' * (level + 1)} {title}\n" for level, title in enumerate(long)]
    found = sections("".join(nested + nested + [f"###### {long[5]}\n"]))
    slugs = [section.slug for section in found]
    assert len(set(slugs)) == len(slugs) == 13
    assert max(len(slug.encode()) for slug in slugs) <= 1_600
    assert [slug.rpartition("/")[2] for slug in slugs[:6]] == [slugify(title) for title in long]
    assert [section.parent for section in found[:6]] == [None, *slugs[:5]]


def test_an_endless_id_of_a_heading_is_shortened() -> None:
    assert read_heading("## Title {#" + "界" * 500 + "}")[2] == "界" * 100


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("---\ntitle: Front\n---\n# Top\n", "Front"),
        ("## Second\n\n# Top `x`\n", "Top x"),
        ("## Second\n", "fallback"),
        ("", "fallback"),
    ],
)
def test_the_title_is_the_front_matters_then_the_first_top_headings(body: str, title: str) -> None:
    assert extract_markdown(body, fallback_title="fallback").title == title


@pytest.mark.requirement("raised-figures-stay-apart")
def test_a_title_keeps_raised_figures_and_struck_words_and_its_anchor_is_that_of_renderers() -> None:
    assert read_heading("# Limits of 10<sup>6</sup> l") == (1, "Limits of 10⁶ l", "limits-of-106-l")
    assert read_heading("## CO<sub>2</sub> of <del>old</del> `a^2`") == (2, "CO₂ of ~~old~~ a^2", "co2-of-old-a2")
    assert read_heading("## Pay ~~500~~ 300") == (2, "Pay ~~500~~ 300", "pay-500-300")


@given(title=st.text(alphabet="aB 9-_.,'/\t\x1c", max_size=30))
def test_a_title_without_marks_is_read_as_beside_one_with_them_and_in_any_script(title: str) -> None:
    assert plain(f"{title} `x`") == f"{plain(title)} x".strip()
    alone = slugify(title)
    assert slugify(f"{title}é") == ("é" if alone == "section" else f"{alone}é")
