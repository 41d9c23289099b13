"""Issue 20, parts 6 and 7: switches, consent, messages that fit, and the tools that connectors look for."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("i20-6-legacy-listed", "issue-20 part 6", 20, "MCP_KB_V2_ENABLED=false lists the legacy tools."),
    met("i20-6-read-alone", "issue-20 part 6", 20, "A 401 asks for semantic:read only."),
    met(
        "i20-6-no-scope-of-ours",
        "issue-20 part 6",
        20,
        "A token without a scope of ours gets 403 on tools/list, with the challenge.",
    ),
    met(
        "i20-6-advice-fits",
        "issue-20 part 6",
        20,
        "Who has no command line is told whom to ask, and not what to run.",
    ),
    met("i20-6-listed-names", "issue-20 part 6", 20, "Names of tools in messages are the listed ones."),
    met("i20-6-server-info", "issue-20 part 6", 20, "The server's info has an icon and the address of the project."),
    met(
        "i20-6-document-links",
        "issue-20 part 6",
        20,
        "An excerpt comes with a link to its document, for clients whose protocol has links.",
    ),
    met("i20-6-instructions", "issue-20 part 6", 20, "The server's instructions weigh 600 bytes at most."),
    met(
        "i20-7-shapes",
        "issue-20 part 7",
        20,
        "search gives {results: [{id, title, url}]}, fetch {id, title, text, url, metadata}: as data and as its JSON.",
    ),
    met("i20-7-ids", "issue-20 part 7", 20, "The ids of search are durable citations."),
    met("i20-7-bounded", "issue-20 part 7", 20, "fetch gives 8 KB at most, and the ids under which the rest is read."),
    met("i20-7-permission", "issue-20 part 7", 20, "fetch reads what the source lets this caller read, and no more."),
    met("i20-7-group", "issue-20 part 7", 20, "search and fetch are a group of their own, off by default."),
)
