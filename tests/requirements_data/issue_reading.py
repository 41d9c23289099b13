"""Issue 16: reading is complete and changes no meaning."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "properties-are-a-passage",
        "issue-16 part 4",
        16,
        "Front matter in YAML, TOML or JSON, and the properties of Org files, are a passage with their lines.",
    ),
    met(
        "empty-notes-are-found",
        "issue-16 part 4",
        16,
        "A note without a body, and an empty file, is one passage that is found by its title and path.",
    ),
    met(
        "aliases-are-names",
        "issue-16 part 4",
        16,
        "The aliases of a page are names of it: texts that use them mention the page.",
    ),
    met(
        "filters-by-property",
        "issue-16 part 4",
        16,
        "Searches are filtered by properties, in every state of the index, over MCP and with --where.",
    ),
    met(
        "noise-is-not-text",
        "issue-16 part 8",
        16,
        "Embedded data, base64 and minified code become placeholders with their size; positions stay true.",
    ),
    met(
        "tags-are-in-no-answer",
        "issue-16 part 8",
        16,
        "No quote, preview, excerpt, difference or reopened citation contains a tag; checks ignore them.",
    ),
    met(
        "comments-are-not-quoted",
        "issue-16 part 11",
        16,
        "Comments between percent signs and the names of blocks are left out of quotes.",
    ),
    met(
        "wikilinks-are-edges",
        "issue-16 part 11",
        16,
        "Wikilinks lead to the notes that Obsidian would open, and missing ones are listed as problems.",
    ),
    met(
        "boards-and-org-are-read",
        "issue-16 part 11",
        16,
        "Canvases, bases, Excalidraw drawings and Org files are read, with their links.",
    ),
    met(
        "facts-of-a-vault",
        "issue-16 table",
        16,
        "Of the facts of 300 notes, .97 are found by the question that names them; no word there is called absent.",
    ),
)
