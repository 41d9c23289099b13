"""kb.read_excerpt and kb.expand_excerpt: a limited amount of text of a passage, and around it."""

from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from citemark.model.citation import iso
from citemark.model.errors import BudgetExceeded
from citemark.results.common_parts import (
    scratch_uri,
    short,
)
from citemark.results.excerpts import ExcerptOut, excerpt_out, render_excerpt
from citemark.results.shape import Strict
from citemark.tools.description_parts import IN_SCHEMA
from citemark.tools.kb.document_app import DOCUMENT_APP
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import DocumentLink, PassageLink, ToolReply
from citemark.tools.schemas_in import (
    LAST_CHAR,
    Name,
    ReadAt,
    ReadContextIn,
    Scope,
    ScopeIn,
    Within,
    in_words,
)

if TYPE_CHECKING:
    from citemark.services.responses import Excerpt

_MAX_NAME_CHARS = 80
"""Maximum characters of a link's name: hosts show it on one line."""


class ExcerptOptions(Strict):
    """How an excerpt is shown."""

    format: Literal["text", "bullets"] = "text"
    include_citation: bool = True


Options = Annotated[ExcerptOptions, in_words("format: text or bullets; include_citation.")]


class ReadExcerptIn(Strict):
    """Arguments of kb.read_excerpt."""

    passage_id: Annotated[Name, Field(description="or next_passage_id")]
    max_tokens: Annotated[int, Within(1, 800)] = 300
    start_char: Annotated[int, Within(0, LAST_CHAR)] = 0
    scope: Scope = Field(default_factory=ScopeIn)
    read_context: ReadAt = Field(default_factory=ReadContextIn)
    options: Options = Field(default_factory=ExcerptOptions)


class ExpandExcerptIn(Strict):
    """Arguments of kb.expand_excerpt."""

    passage_id: Name
    before_tokens: Annotated[int, Within(0, 800)] = 150
    after_tokens: Annotated[int, Within(0, 800)] = 150
    scope: Scope = Field(default_factory=ScopeIn)
    read_context: ReadAt = Field(default_factory=ReadContextIn)
    options: Options = Field(default_factory=ExcerptOptions)


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
        reply = _reply(excerpt, asked.options, cut=tokens != asked.max_tokens, links=(_link(excerpt),))
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
        reply = _reply(excerpt, asked.options, cut=cut)
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


def _document_links(excerpt: "Excerpt") -> tuple[DocumentLink, ...]:
    """A link to the cited document, if it has an address that a browser opens.

    Like the link to the passage, only an excerpt has it: the results with quotes of many documents state addresses in
    their citations, where each costs its own length.
    """
    citation = excerpt.citation
    if citation.url is None or urlsplit(citation.url).scheme not in {"http", "https"}:
        return ()
    return (DocumentLink(citation.url, short(citation.title, _MAX_NAME_CHARS)),)


def _reply(excerpt: "Excerpt", options: ExcerptOptions, *, cut: bool, links: tuple[PassageLink, ...] = ()) -> ToolReply:
    out = excerpt_out(excerpt, with_citation=options.include_citation, cut=cut)
    text = render_excerpt(excerpt, with_citation=options.include_citation)
    return ToolReply(out, text, (*links, *(_document_links(excerpt) if options.include_citation else ())))


READ_EXCERPT = Tool(
    name="kb.read_excerpt",
    title="Read a passage",
    description=(
        "Use when a preview or quote looks right and you need its wording or what follows.\n"
        "Do not use when quotes will do: kb.extract_evidence.\n"
        "Returns at most max_tokens of a passage, cited.\n"
        "If you need more, pass next_start_char as start_char, or next_passage_id.\n"
        f"{IN_SCHEMA}"
    ),
    takes=ReadExcerptIn,
    gives=ExcerptOut,
    handle=read_excerpt,
    core=True,
    app=DOCUMENT_APP,
)

EXPAND_EXCERPT = Tool(
    name="kb.expand_excerpt",
    title="Read around a passage",
    description=(
        "Use when a quote needs the text around it.\n"
        "Do not use when you want the passage from its start: kb.read_excerpt.\n"
        "Returns at most before_tokens and after_tokens around its best place, cited.\n"
        "If you need more, ask for more tokens.\n"
        f"{IN_SCHEMA}"
    ),
    takes=ExpandExcerptIn,
    gives=ExcerptOut,
    handle=expand_excerpt,
    app=DOCUMENT_APP,
)
