"""Results in which nothing is hidden: the last step before a result is measured and sent.

What identifies something is shown so that an argument with the shown form means the same thing (`Name` in
`schemas_in`).
"""

from dataclasses import dataclass
from typing import Any, cast

from citemark.results.written import minified
from citemark.text.hidden import HIDDEN_NOTE, holds_hidden, revealed, revealed_name, shown_as_it_is

_NAMING = frozenset(
    {"source", "heading", "anchor", "doc_tag", "project_id", "also_in", "key", "id", "sources", "members", "graph_path"}
)
"""Fields that name something that another call takes, besides those that end in `_id` or `_ids`."""


@dataclass(slots=True)
class Revealer:
    """Shows what is hidden in the parts of one result, and remembers whether anything was."""

    found: bool = False

    def text(self, text: str) -> str:
        """A text as it is shown."""
        if text.isascii():
            return text
        self.found = self.found or holds_hidden(text)
        return revealed(text)

    def data(self, node: object, key: str = "") -> Any:
        """Data, of which `key` is the name, with all its texts and names as they are shown."""
        if isinstance(node, str):
            if node.isascii() and "<U+" not in node:
                return node
            shown = self.text(node)
            return revealed_name(node) if key in _NAMING or key.endswith(("_id", "_ids")) else shown
        if isinstance(node, list):
            return [self.data(entry, key) for entry in cast("list[object]", node)]
        if isinstance(node, dict):
            entries = cast("dict[str, object]", node).items()
            return {self.text(name): self.data(value, name) for name, value in entries}
        return node


def revealed_result(payload: dict[str, Any], text: str) -> tuple[dict[str, Any], str]:
    """Data and text of a result as they are shown, with a note in both if they hold hidden characters."""
    revealer = Revealer()
    # Nearly all results are shown as they are: to look through their JSON is many times as fast as through their parts.
    payload = payload if shown_as_it_is(minified(payload)) else revealer.data(payload)
    text = revealer.text(text)
    if not revealer.found:
        return payload, text
    return _with_note(payload), f"{text}\n{HIDDEN_NOTE}"


def _with_note(payload: dict[str, Any]) -> dict[str, Any]:
    """`payload` with the note where its kind of result has notes; the legacy tools have them under `meta`."""
    if "meta" in payload:
        return {**payload, "meta": _with_note({"read_context": None, **payload["meta"]})}
    if "read_context" not in payload:
        return payload
    return {**payload, "notes": [*payload.get("notes", []), HIDDEN_NOTE]}
