"""Markdown for property tests: fragments of everything that pages hold, in any order."""

from hypothesis import strategies as st

from citemark.model.text import BlockKind, Extracted

_FRAGMENTS = (
    "# Top",
    "## Part `one`",
    "### Part",
    "Under\n=====",
    "Under\n---",
    "A sentence. Another one, e.g. this! Is that all? 第一句。第二句。",
    "word " * 90,
    "x" * 400,
    "- item\n- item two\n  - nested\n    text",
    "1. one\n2. two\n\n   more of two",
    "- a\n\n  ```sh\n  # no heading\n  ```",
    "```python\n# no heading\n\nprint(1)\n```",
    "```\n" + "line of code\n" * 60 + "```",
    "~~~",
    "    indented code\n\n    # more",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "| name | text |\n| --- | --- |\n" + "| row | some words in a cell |\n" * 40,
    "> quoted\n> # not a section\nlazily",
    '<Card title="Shown" href="/x">\n  Inner text\n\n  ## Indented heading\n</Card>',
    "<Steps>\n<Step>\n",
    "</Step>",
    "<!-- comment\n\n# no heading -->",
    "<pre>\n# no heading\n</pre>",
    "import X from 'y'",
    "export const A = () => (\n  <b>x</b>\n);",
    "{/* hidden */}",
    "---",
    "\u200b\u00a0\u2028 odd blanks \x0b\x0c",
    "[link](./other.md#part) and [ref][r] and <https://a.example>\n\n[r]: ../up.md",
    "\t\ttabbed",
    "ends with a colon:",
    "\ufffd \U0001f600 e\u0301",
)
_HEADS = ("", "---\ntitle: Head\ndescription: What it is\ntags: [a, b]\n---\n", "---\n: [bad\n---\n", "---\n")


@st.composite
def pages(draw: st.DrawFn) -> str:
    """A page in one of the three ways to end lines."""
    head = draw(st.sampled_from(_HEADS))
    parts = draw(st.lists(st.sampled_from(_FRAGMENTS) | st.text(max_size=30), max_size=14))
    joints = draw(st.lists(st.sampled_from(("\n", "\n\n", "\n\n\n")), min_size=len(parts), max_size=len(parts)))
    text = head + "".join(part + joint for part, joint in zip(parts, joints, strict=True))
    return text.replace("\n", draw(st.sampled_from(("\n", "\r\n", "\r"))))


def assert_sound(extracted: Extracted) -> None:
    """What holds for any document whatever: ordered blocks over all that is visible, spans inside, slugs unique."""
    at = 0
    heads = [block.span.end for block in extracted.blocks[:1] if block.kind is BlockKind.FRONT_MATTER]
    first_end = heads[0] if heads else -1
    for block in extracted.blocks:
        assert block.span.start >= at
        between = extracted.body[at : block.span.start].strip()
        assert between.strip("-+.{}") == "" if at <= first_end else between == ""
        assert block.span.of(extracted.body).strip()
        at = block.span.end
    assert extracted.body[at:].strip().strip("-+.{}" if at == first_end else "") == ""
    slugs = [section.slug for section in extracted.sections]
    assert len(set(slugs)) == len(slugs)
    ends = [*(section.span.start for section in extracted.sections[1:]), len(extracted.body)]
    for section, end in zip(extracted.sections, ends, strict=False):
        assert section.span.end <= end
        assert section.parent is None or section.slug.startswith(f"{section.parent}/")
    for link in extracted.links:
        assert link.span.end <= len(extracted.body)
