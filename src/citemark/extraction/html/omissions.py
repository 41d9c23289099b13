"""Counts what a web page shows and its text does not hold: pictures, embedded pages, form fields, hidden parts."""

from selectolax.lexbor import LexborNode

from citemark.extraction.builder import Builder
from citemark.extraction.html.nodes import image_words, is_hidden

_KINDS = (
    ("embedded page", "iframe, frame"),
    ("embedded object", "object, embed, applet"),
    ("video", "video"),
    ("sound", "audio"),
    ("drawing", "canvas"),
    ("template", "template"),
)
_WITH_WORDS = (
    ("drawing", "svg text"),
    ("part for browsers without scripts", "noscript"),
    ("form field", "textarea"),
    ("list of choices", "select"),
)
_FIELDS = "input[value]"
_NO_VALUES = frozenset({"hidden", "submit", "button", "reset", "image", "checkbox", "radio"})
_ICON = 32
"""Pixels: pictures up to this width or height are icons."""


def count_left_out(node: LexborNode, builder: Builder) -> None:
    """Count the parts below a node whose words are not read; icons and ornaments have none."""
    for kind, query in _KINDS:
        builder.leave_out(kind, len(node.css(query)))
    for kind, query in _WITH_WORDS:
        builder.leave_out(kind, sum(bool(each.text() or each.child is not None) for each in node.css(query)))
    builder.leave_out("image without text", sum(map(_is_unread_image, node.css("img"))))
    fields = (each.attributes for each in node.css(_FIELDS))
    shown = (each for each in fields if (each.get("type") or "text").lower() not in _NO_VALUES)
    builder.leave_out("form field", sum(bool((each.get("value") or "").strip()) for each in shown))
    hidden = [each for each in node.css("[hidden], [aria-hidden=true], [style]") if is_hidden(each.attributes)]
    inside = {inner.mem_id for each in hidden for inner in each.css("*") if inner.mem_id != each.mem_id}
    outermost = (each for each in hidden if each.mem_id not in inside)
    builder.leave_out("hidden part", sum(map(_has_hidden_words, outermost)))


def _has_hidden_words(node: LexborNode) -> bool:
    """Whether a hidden part says something; one that is hidden from screen readers alone may be the name of an icon."""
    words = node.text().split()
    return len(words) > (node.attributes.get("aria-hidden") == "true") and any(map(str.isalpha, "".join(words)))


def _is_unread_image(node: LexborNode) -> bool:
    attributes = node.attributes
    if attributes.get("alt") == "" or attributes.get("role") in {"presentation", "none"} or image_words(attributes):
        return False
    sizes = (attributes.get("width") or "", attributes.get("height") or "")
    return not any(size.removesuffix("px").isdigit() and int(size.removesuffix("px")) <= _ICON for size in sizes)
