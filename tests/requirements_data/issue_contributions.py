"""Issues 19 and 20: features become contributions; schemas say what a call takes and gives."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "text-apart-from-values",
        "issue-19 part 2",
        19,
        "What behaves (Markdown, sentences, spelling, escaping) is in the package text, and model holds values.",
        tests=("tests/unit/test_architecture_page.py",),
    ),
    met(
        "source-kinds-are-values",
        "issue-19 part 3",
        19,
        "No code outside its feature compares the kind of a source with a name; a value describes each kind.",
    ),
    met(
        "days-and-labels-are-columns",
        "issue-19 part 4",
        19,
        "Sources state the days and labels of their documents; filters look them up in columns with indexes.",
    ),
    met(
        "one-result-for-each-use-case",
        "issue-19 part 6",
        19,
        "A command prints with --json the fields and values that the tool of the same use case gives out.",
    ),
    met(
        "full-schemas-as-resources",
        "issue-20 part 5",
        20,
        "The full schema of each tool's result can be read as the resource citemark://schemas/{tool}.",
    ),
    met(
        "full-schemas-checked",
        "issue-20 part 5",
        20,
        "Every structured result that a test receives over a client of the SDK is validated against its full schema.",
    ),
    met("full-schemas-frozen", "issue-20 part 5", 20, "A full schema only ever gains fields."),
    met(
        "one-search",
        "issue-19 part 8",
        19,
        "Search, answers and accounts rank and verify with one search, with which evidence ranks too.",
    ),
    met(
        "labels-are-one-value",
        "issue-19 part 8",
        19,
        "The labels of a source pass as one value from the options of a command to the columns of the store.",
    ),
    met(
        "shared-options-declared-once",
        "issue-19 part 8",
        19,
        "Options that several commands share are declared once, and a command gets them as one value.",
    ),
    met(
        "features-are-contributions",
        "issue-19 part 5",
        19,
        "A feature says what it adds in a closed set of contributions, and the program is a list of features.",
    ),
    met(
        "no-import-of-a-feature",
        "issue-19 part 5",
        19,
        "No module of the core imports a feature, and no feature imports another: they meet at ports of the core.",
    ),
    met(
        "mailboxes-are-a-source",
        "issue-19 part 12",
        19,
        "Mails in Maildirs and mbox files are documents; flags make no new ones, and answers lead to what they answer.",
    ),
    met(
        "verdicts-mean-what-a-table-says",
        "issue-19 part 8",
        19,
        "Sources are asked in one way; a table for each policy says what a verdict means, and all else withholds.",
    ),
    met(
        "books-are-read",
        "issue-19 part 12",
        19,
        "The chapters of an EPUB are sections in reading order; a protected book is refused by its protection's name.",
    ),
    met(
        "a-source-needs-two-files-outside-its-folder",
        "issue-19 part 12",
        19,
        "The code of a source lies in the folder of its feature; outside, the list of features alone names it.",
    ),
    met(
        "sources-say-what-they-cannot-do",
        "issue-19 part 3",
        19,
        "The contract suite of sources has flags for what a source cannot do, and leaves out the tests of that alone.",
    ),
    met(
        "adding-docs-makes-what-it-needs",
        "issue-19 part 5",
        19,
        "`add docs` of one file makes the stores and services that it needs, and no more.",
    ),
    met(
        "tool-lists-are-small",
        "issue-20 parts 1 and 2",
        20,
        "tools/list takes at most 30 KiB with all sources and 16 KiB with documents alone, 22 and 9 KiB with the core.",
    ),
    met(
        "core-is-what-an-agent-chooses",
        "issue-20 part 2",
        20,
        "With tools = core, the tools that an agent chooses are listed, and every other one can be called as before.",
    ),
    met(
        "limits-in-every-schema",
        "issue-20 part 4",
        20,
        "The schema of every tool that asks a question lists scope and read_context.",
    ),
    met(
        "impact-is-one-call",
        "issue-20 part 3",
        20,
        "graph_impact tells in one call what depends on an element or page, over which edges, and what mentions that.",
    ),
    met(
        "expand-does-what-its-relatives-do",
        "issue-20 part 2",
        20,
        "graph_expand walks containment up and down and lists one kind of node, as tools of their own do.",
    ),
    met(
        "list-sources-tells-of-graph-and-baselines",
        "issue-20 part 2",
        20,
        "kb_list_sources also tells how many nodes and edges of each kind there are, and names the latest baselines.",
    ),
    met(
        "search-of-elements-lists-without-a-query",
        "issue-20 part 2",
        20,
        "architecture_semanticSearch without a query lists the elements that meet the filters, as listElements does.",
    ),
    met(
        "diff-takes-a-model",
        "issue-20 part 2",
        20,
        "kb_diff with the name of a model compares its elements and relationships, as diffBaselines does.",
    ),
)
