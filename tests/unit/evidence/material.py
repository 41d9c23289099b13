"""Texts that look like documents, for properties."""

from hypothesis import strategies as st

from citemark.evidence.spans import pieces
from citemark.model.text import Span

PARTS = [
    "# Install", "## Tier Relegation\n", "Run `npm install` first.", "See v1.2.3 of file.name.md, e.g. this one.",
    "It takes 3.5 s... perhaps! Really?", "- one bullet", "* **bold** bullet. With two sentences.", "12. twelfth",
    "```py\nx = 1. \n\ny = 2? \n```", "~~~\nraw | text\n~~~", "```", "| a | b |", "| --- | :-: |", "| 4 | art |",
    "> quoted words. More.", "<Note>", '<Step title="Go">', "---", "===", "\r\n", "\n\n", "\n", " ", "\t",
    "start of the art", "検索は速い。本当か\uff1f", "ไทยแลนด์",
    "Ünïcödé e\u0301te\u0301", "👩‍👩‍👧 🇩🇪🇫🇷 👍🏽", "\x00", "\ud800",
    "x" * 700, "word " * 90, "Dr. Smith vs. U.S. law etc. ok",
    "www.example.com/a?b=c. Next", "…", "......", "title: x\n",
]  # fmt: skip

texts = st.one_of(
    st.lists(st.sampled_from(PARTS), max_size=14).map("\n".join),
    st.lists(st.sampled_from(PARTS), max_size=14).map("".join),
    st.text(max_size=300),
)
questions = st.one_of(
    st.sampled_from(
        ["art of the start", "how many bullet sentences?", "AI", "検索 速い", "", "?!", "install v1.2.3 file"]
    ),
    st.text(max_size=40),
)


def split_spans(text: str) -> list[Span]:
    """The spans of a text in order."""
    return [piece.span for piece in pieces(text)]
