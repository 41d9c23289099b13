"""Issue 23: pages for a browser, in which people look inside their own index."""

from tests.requirements_data.form import Requirement, met


def _met(ident: str, part: int, text: str) -> Requirement:
    return met(ident, f"issue-23 part {part}", 23, text)


CLAUSES: tuple[Requirement, ...] = (
    _met(
        "page-search", 1, "Hits as one types, with their evidence, place, date, source, limits and why they were found."
    ),
    _met(
        "page-says-what-is-missing", 1, "A page says why it is empty, what was withheld, and what to do about an error."
    ),
    _met("page-keyboard", 1, "A search is asked, walked and opened with the keyboard alone."),
    _met(
        "page-filters",
        1,
        "Filters by source, kind, tag, language and time, each with the number of documents that it leaves.",
    ),
    _met(
        "read-at-cited-span",
        2,
        "A document opens in the text that it had, with what was cited marked in any kind of block.",
    ),
    _met("page-long-documents", 2, "A long document is read in parts around what was cited."),
    _met(
        "page-revisions", 2, "The revisions of a document are listed, and the first places where two differ are shown."
    ),
    _met("page-ask", 3, "An answer has footnotes that hold the quotes, and says which way wrote it."),
    _met("unsupported-is-visible", 3, "A sentence of an answer without support is visibly so."),
    _met("page-ask-streams", 3, "The text of a model streams in, and is checked after."),
    _met("page-graph", 4, "Neighbours by kind, paths and impact on a page, every edge with the line that states it."),
    _met(
        "page-graph-many-neighbours",
        4,
        "A large group of neighbours is read in parts, to its end.",
    ),
    _met("page-views-drawn", 4, "A view of a model is drawn from its own layout, as the command draws it."),
    _met("page-time", 5, "The same search then and now side by side, and the difference of two baselines."),
    _met(
        "page-sources",
        6,
        "The owner sees what is indexed, waits and fails, and adds, reads again and removes a folder.",
    ),
    _met("page-hosts", 6, "The entry that each AI program needs, written for it where the owner sits, and only there."),
    _met("page-stream", 6, "One stream of events a page says what changed, and a page without one asks by itself."),
    _met(
        "page-account", 6, "A Nextcloud account is added by a link at which its person agrees in the Nextcloud itself."
    ),
    _met("page-folders", 6, "The owner walks through the folders of the server's machine, from that machine only."),
    _met("page-sources-more", 6, "A source is paused and goes on later."),
    _met("page-evaluate", 7, "A hit is kept as the answer to a question, and the questions are run and compared."),
    _met("page-agents-asked", 8, "The owner may have the calls of the last days kept and opened as searches."),
    _met(
        "vendored-as-published",
        9,
        "Scripts of others are pinned, recorded with hash and licence, and byte for byte as published.",
    ),
    _met(
        "nothing-inline-nothing-outside",
        9,
        "No template has a script, style or handler inside or loads anything from elsewhere.",
    ),
    _met("page-headers", 9, "Every answer carries the policy, and no browser sends an address of ours elsewhere."),
    _met("page-without-scripts", 9, "Search, read and sources work without scripts."),
    _met("page-json-twins", 10, "Every page has a twin in JSON."),
    _met("page-fragments", 10, "A fragment is a block of the full page."),
    _met("link-works-once", 11, "A link signs one browser in, once and within a minute, by a cookie of one port."),
    _met("page-csrf", 11, "A change needs the secret of its session and comes from this very page."),
    _met("page-strangers-get-nothing", 11, "Who is not signed in learns nothing."),
    _met("page-isolation", 11, "On every route, what is another person's and what does not exist look the same."),
    _met("page-sign-in-elsewhere", 11, "People sign in at the authorization server (code flow with PKCE)."),
    _met("page-accessible", 12, "axe-core finds nothing serious or critical on any page, in light and dark."),
    _met("hostile-content-runs-nothing", 12, "Nothing in a document runs, loads or leads to a script."),
    _met("page-narrow", 12, "No page scrolls sideways at 360 pixels."),
    _met("page-in-hosts", 13, "Quotes, documents and neighbourhoods are MCP Apps for hosts that show them."),
    _met("first-load-is-light", 0, "A first load transfers at most 120 KB."),
    _met("page-first-paint", 0, "The page paints in 300 ms over 100,000 chunks, and hits follow in 250 ms."),
)
