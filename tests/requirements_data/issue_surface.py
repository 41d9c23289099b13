"""Issue 20, parts 6 and 7: switches, consent, messages that fit, and the tools that connectors look for."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("legacy-tools-listed-without-kb", "issue-20 part 6", 20, "MCP_KB_V2_ENABLED=false lists the legacy tools."),
    met("challenge-asks-for-read-alone", "issue-20 part 6", 20, "A 401 asks for semantic:read only."),
    met(
        "token-without-our-scope-is-challenged",
        "issue-20 part 6",
        20,
        "A token without a scope of ours gets 403 on tools/list, with the challenge.",
    ),
    met(
        "advice-without-command-line-fits",
        "issue-20 part 6",
        20,
        "Who has no command line is told whom to ask, and not what to run.",
    ),
    met("messages-use-listed-tool-names", "issue-20 part 6", 20, "Names of tools in messages are the listed ones."),
    met(
        "server-info-has-icon-and-address",
        "issue-20 part 6",
        20,
        "The server's info has an icon and the address of the project.",
    ),
    met(
        "excerpts-link-their-document",
        "issue-20 part 6",
        20,
        "An excerpt comes with a link to its document, for clients whose protocol has links.",
    ),
    met("instructions-weigh-600-bytes", "issue-20 part 6", 20, "Instructions weigh 600 bytes at most, without notes."),
    met(
        "search-and-fetch-shapes",
        "issue-20 part 7",
        20,
        "search gives {results: [{id, title, url}]}, fetch {id, title, text, url, metadata}: as data and as its JSON.",
    ),
    met("search-ids-are-durable-citations", "issue-20 part 7", 20, "The ids of search are durable citations."),
    met(
        "fetch-is-bounded", "issue-20 part 7", 20, "fetch gives 8 KB at most, and the ids under which the rest is read."
    ),
    met(
        "fetch-keeps-to-the-callers-rights",
        "issue-20 part 7",
        20,
        "fetch reads what the source lets this caller read, and no more.",
    ),
    met(
        "search-and-fetch-off-by-default",
        "issue-20 part 7",
        20,
        "search and fetch are a group of their own, off by default.",
    ),
)
