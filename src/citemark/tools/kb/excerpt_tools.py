"""kb.read_excerpt and kb.expand_excerpt: a limited amount of text of a passage, and around it."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from citemark.model.citation import iso
from citemark.model.errors import BudgetExceeded
from citemark.results.common_parts import (
    scratch_uri,
    short,
)
from citemark.results.excerpts import ExcerptOut, excerpt_out, render_excerpt
from citemark.results.shape import Strict
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import PassageLink, ToolReply
from citemark.tools.schemas_in import HiddenReadContext, Name, ReadContextIn, ScopeIn, Within

if TYPE_CHECKING:
    from citemark.services.responses import Excerpt

_MAX_NAME_CHARS = 80
"""Maximum characters of a link's name: hosts show it on one line."""

_LAST_CHAR = 2**31 - 1
"""The largest offset: many JSON clients hold offsets as 32-bit integers."""


class ExcerptOptions(Strict):
    """How an excerpt is shown."""

    format: Annotated[Literal["text", "bullets"], Field(description="bullets: one line per sentence.")] = "text"
    include_citation: bool = True


class ReadExcerptIn(Strict):
    """Arguments of kb.read_excerpt."""

    passage_id: Annotated[Name, Field(description="Of a hit or quote, or next_passage_id to read on.")]
    max_tokens: Annotated[int, Within(1, 800)] = 300
    start_char: Annotated[int, Within(0, _LAST_CHAR), Field(description="next_start_char, if any.")] = 0
    scope: ScopeIn = Field(default_factory=ScopeIn)
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)
    options: ExcerptOptions = Field(default_factory=ExcerptOptions)


class ExpandExcerptIn(Strict):
    """Arguments of kb.expand_excerpt."""

    passage_id: Name
    before_tokens: Annotated[int, Within(0, 800)] = 150
    after_tokens: Annotated[int, Within(0, 800)] = 150
    scope: ScopeIn = Field(default_factory=ScopeIn)
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)
    options: ExcerptOptions = Field(default_factory=ExcerptOptions)


async def read_excerpt(call: ToolCall, asked: ReadExcerptIn) -> ToolReply:
    """Read an excerpt, halving it as long as it does not fit, with a link to the whole passage."""
    tokens = asked.max_tokens
    while True:
        excerpt = await call.services.passages.read(
            call.caller,
            asked.passage_id,
            start_char=asked.start_char,
            max_tokens=tokens,
            bullets=asked.options.format == "bullets",
            scope=asked.scope.value(),
            read_context=asked.read_context.value(),
        )
        reply = _reply(excerpt, asked.options, cut=tokens != asked.max_tokens, link=_link(excerpt))
        if call.fits(reply):
            return reply
        tokens = _half(tokens)


async def expand_excerpt(call: ToolCall, asked: ExpandExcerptIn) -> ToolReply:
    """Read around the best span, halving the distance as long as the excerpt does not fit."""
    before, after = asked.before_tokens, asked.after_tokens
    while True:
        excerpt = await call.services.passages.expand(
            call.caller,
            asked.passage_id,
            before_tokens=before,
            after_tokens=after,
            bullets=asked.options.format == "bullets",
            scope=asked.scope.value(),
            read_context=asked.read_context.value(),
        )
        cut = (before, after) != (asked.before_tokens, asked.after_tokens)
        reply = _reply(excerpt, asked.options, cut=cut, link=None)
        if call.fits(reply):
            return reply
        _half(before + after)
        before, after = before // 2, after // 2


def _half(tokens: int) -> int:
    if tokens == 0:
        raise BudgetExceeded("Not even a short excerpt of this passage fits a result.")
    return tokens // 2


def _link(excerpt: "Excerpt") -> PassageLink:
    """A link to the whole passage.

    Only the result of kb.read_excerpt has one: the links of many hits would cost more than their previews, and some
    hosts show a result that has links without its structured content.
    """
    return PassageLink(
        uri=scratch_uri(excerpt.meta.session_id, excerpt.passage_id),
        name=short(excerpt.citation.title, _MAX_NAME_CHARS),
        size=excerpt.size_bytes,
        last_modified=iso(excerpt.last_modified) if excerpt.last_modified else None,
    )


def _reply(excerpt: "Excerpt", options: ExcerptOptions, *, cut: bool, link: PassageLink | None) -> ToolReply:
    out = excerpt_out(excerpt, with_citation=options.include_citation, cut=cut)
    return ToolReply(out, render_excerpt(excerpt, with_citation=options.include_citation), link)


READ_EXCERPT = Tool(
    name="kb.read_excerpt",
    title="Read part of a passage",
    description=(
        "Use when a preview or quote looks right and you need its wording or what follows.\n"
        "Do not use when you hold no passage_id: call kb.retrieve_evidence or kb.search.\n"
        "Returns at most max_tokens (of 4 bytes) from a passage on, cited; start_char counts its characters.\n"
        "If you need more, call again with next_passage_id and next_start_char: they go on through the document; or "
        "kb.expand_excerpt.\n"
        "Defaults and caps: max_tokens 300 (max 800), start_char 0, format text. A passage_id lives 30 minutes."
    ),
    takes=ReadExcerptIn,
    gives=ExcerptOut,
    handle=read_excerpt,
)

EXPAND_EXCERPT = Tool(
    name="kb.expand_excerpt",
    title="Read around a passage",
    description=(
        "Use when a quote or preview starts or stops too early.\n"
        "Do not use when you want another place of the document: call kb.search.\n"
        "Returns at most the passage's best span with before_tokens in front and after_tokens behind; start_char "
        "counts the characters of the document's revision.\n"
        "If you need more, call again with larger numbers, or kb.read_excerpt with next_passage_id and "
        "next_start_char.\n"
        "Defaults and caps: before_tokens 150, after_tokens 150 (max 800 each), format text."
    ),
    takes=ExpandExcerptIn,
    gives=ExcerptOut,
    handle=expand_excerpt,
)
