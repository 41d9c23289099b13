"""Templates and what surrounds each page: headers, and filters that make foreign text safe to show."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import resources
from types import MappingProxyType
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, RedirectResponse, Response

from citemark.model.citation import iso
from citemark.model.text import Span
from citemark.text.escaping import one_line, visible
from citemark.text.hidden import hidden_as_json_escapes
from citemark.web.document_html import document_html
from citemark.web.sign_in import Session

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "cache-control": "no-store",
        "content-security-policy": POLICY,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "vary": "HX-Request",
        "x-content-type-options": "nosniff",
        "x-robots-tag": "noindex",
    }
)

HTMX = json.dumps(
    {
        "allowEval": False,
        "allowScriptTags": False,
        "historyCacheSize": 0,  # what was read here is not kept in the browser's storage
        "includeIndicatorStyles": False,
        "refreshOnHistoryMiss": True,
        "selfRequestsOnly": True,
    }
)


@dataclass(frozen=True, slots=True)
class Page:
    """What a view found: the name of its template, what it shows, and the HTTP status.

    `data` is also its JSON twin, so it holds what is said; `looks` is what only the HTML needs.
    """

    name: str
    data: Mapping[str, Any]
    status: int = 200
    looks: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Renderer:
    """Makes HTML of pages, whole or a block of them."""

    def __init__(
        self,
        listed: Sequence[tuple[str, str, bool]] = (),
        adding: Sequence[tuple[str, str]] = (),
        beside: Callable[[Mapping[str, Any]], Any] = lambda _: (),
    ) -> None:
        """Prepare the templates.

        Args:
            listed: the names and headings of the pages that all pages link to besides, and whether only for the owner.
            adding: the names of pages that add sources, and the words under which that of the sources links to them.
            beside: gives the links beside a cited document, as words and addresses.
        """
        self._templates = Environment(
            loader=PackageLoader("citemark.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        names = cast("Any", self._templates)  # both are typed as what the library itself puts in
        names.globals.update({"htmx": HTMX, "listed": listed, "adding": adding, "beside": beside})
        names.filters.update(
            {"name": one_line, "visible": visible, "marked": marked, "day": day, "moment": moment, "plainly": plainly}
        )
        names.filters["rendered"] = _rendered

    def html(self, page: Page, session: Session | None, block: str | None = None) -> Response:
        """A page as HTML; only one `block` of its template if that is named and it has it."""
        return HTMLResponse(self.body(page, session, block), page.status, HEADERS)

    def body(self, page: Page, session: Session | None, block: str | None = None) -> str:
        """The HTML of a page, or of one block of it, likewise."""
        template = self._templates.get_template(f"{page.name}.html")
        values = {**page.data, **page.looks, "page": page.name, "session": session}
        if block in template.blocks:
            return "".join(template.blocks[block](template.new_context(values)))
        return template.render(values)

    def text(self, template: str, values: Mapping[str, Any]) -> str:
        """A template as HTML that is no answer of ours."""
        return self._templates.get_template(template).render(values)


def twin(page: Page) -> Response:
    """A page as JSON: the same facts without their looks."""
    body = hidden_as_json_escapes(json.dumps(page.data, ensure_ascii=False, default=_plain))
    return Response(body, page.status, {**HEADERS, "content-disposition": "inline"}, "application/json")


def redirected(path: str) -> Response:
    """The browser goes on at another address of ours."""
    return RedirectResponse(path, 303, HEADERS)


def asset(name: str) -> bytes | None:
    """A file that pages load; None if there is none of that name."""
    if "/" in name or name.startswith("."):
        return None
    found = resources.files("citemark.web") / "static" / name
    return found.read_bytes() if found.is_file() else None


def marked(text: str, spans: Sequence[Sequence[int]]) -> Markup:
    """A text with some of its spans highlighted; the spans are in order and apart."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += [escape(text[at:start]), Markup("<mark>"), escape(text[start:end]), Markup("</mark>")]
        at = end
    return Markup("").join([*parts, escape(text[at:])])


def plainly(text: str) -> str:
    """A piece of an answer without the marks of quotations and the numbers of footnotes, which are links beside it."""
    return _ANSWER_MARKS.sub("", visible(text))


def moment(recorded: datetime) -> str:
    """A moment where the server is, to the second."""
    return f"{recorded.astimezone():%Y-%m-%d %H:%M:%S}"


def day(moment: datetime | None) -> str:
    """The day of a moment where the server is; "" if there is none."""
    return "" if moment is None else f"{moment.astimezone():%Y-%m-%d}"


_ANSWER_MARKS = re.compile(r"^(?:> ?)?(?:\|(?:-+\|)+\n?|#{1,6} )?|[ \t]*\[\d{1,3}\]", re.MULTILINE)


def _rendered(text: str, name: str, cited: Span) -> Markup:
    """A part of a document with what was cited in it marked."""
    return document_html(text, name, cited).html


def _plain(value: object) -> str:
    return iso(value) if isinstance(value, datetime) else str(value)
