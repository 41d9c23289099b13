"""Issue 3, breadth: formats, languages, providers, hosts, the full yardstick."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("i3-1-html", "issue-3 part 1", 3, "HTML and saved sites are indexed with spans."),
    met("i3-1-pdf", "issue-3 part 1", 3, "PDF is indexed with page numbers."),
    met("i3-1-office", "issue-3 part 1", 3, "docx, xlsx, pptx and odt are indexed."),
    met("i3-1-mail", "issue-3 part 1", 3, "E-mail text is indexed."),
    met("i3-1-anchors", "issue-3 part 1", 3, "A citation into any format can be opened again."),
    met("i3-1-capped", "issue-3 part 1", 3, "Each file is parsed in a process with time and memory caps."),
    met("i3-1-bombs", "issue-3 part 1", 3, "Zip bombs, broken and encrypted files are reported."),
    met("i3-2-watch", "issue-3 part 2", 3, "sync --watch and serve follow changes, debounced."),
    met("i3-2-lost-events", "issue-3 part 2", 3, "After sleep and lost events the index is correct again."),
    met("i3-3-detection", "issue-3 part 3", 3, "The language of each document is told from its words, offline."),
    met("i3-3-fallback", "issue-3 part 3", 3, "Short and code-heavy texts fall back to the source's language."),
    met("i3-3-front-matter", "issue-3 part 3", 3, "What a document says of its language goes before its words."),
    met(
        "i3-3-configurations", "issue-3 part 3", 3, "Eight languages at least are read by configurations of their own."
    ),
    met("i3-3-sentences", "issue-3 part 3", 3, "An inflected question finds its page, in real sentences of each."),
    met("i3-3-every-language", "issue-3 part 3", 3, "A question is read in every language that its fence holds."),
    met("i3-3-alternatives", "issue-3 part 3", 3, "A word of a question counts once, whatever its readings."),
    met("i3-3-cjk", "issue-3 part 3", 3, "CJK text is found by character bigrams."),
    met("i3-3-counts", "issue-3 part 3", 3, "sources and status count the documents of each language."),
    met("i3-3-lazy", "issue-3 part 3", 3, "What tells languages is loaded when a text needs it, never at start."),
    met(
        "i3-4-providers", "issue-3 part 4", 3, "OpenAI-compatible, Azure and Cohere providers embed.", also=("535 7.1",)
    ),
    met("i3-4-bounded", "issue-3 part 4", 3, "Batches are bounded by characters.", also=("535 7.1",)),
    met("i3-4-errors", "issue-3 part 4", 3, "Transient errors are retried as told, permanent ones shown."),
    met("i3-4-switch", "issue-3 part 4", 3, "Changing the model leaves no gap in search."),
    met("i3-5-http", "issue-3 part 5", 3, "Streamable HTTP on loopback is stateless and serves both eras."),
    met("i3-5-loopback-only", "issue-3 part 5", 3, "Addresses that others can reach are refused with the reason."),
    met("i3-5-rebinding", "issue-3 part 5", 3, "A foreign Host or Origin is refused."),
    met("i3-5-body-cap", "issue-3 part 5", 3, "A body over the cap is refused and not kept."),
    met("i3-5-cancelled", "issue-3 part 5", 3, "A client that goes away releases the work of its request."),
    met("i3-5-shutdown", "issue-3 part 5", 3, "A signal ends the server cleanly, running calls answered."),
    met("i3-5-concurrency", "issue-3 part 5", 3, "32 clients at once see no error."),
    met("i3-5-memory", "issue-3 part 5", 3, "Requests leave no memory and no task behind."),
    met(
        "i3-5-interop",
        "issue-3 part 5",
        3,
        "make interop runs foreign clients against it.",
        tests=("tests/interop/__main__.py",),
    ),
    met("i3-6-install", "issue-3 part 6", 3, "install shows the change, asks, writes and keeps a backup."),
    met("i3-7-report", "issue-3 part 7", 3, "Evaluation has an HTML report with plots."),
    met("i3-7-compare", "issue-3 part 7", 3, "Two evaluations can be compared, per kind of question."),
    met("i3-8-peers", "issue-3 part 8", 3, "The bench runs four peers on the same data."),
    met("i3-8-growth", "issue-3 part 8", 3, "The bench shows growth from 10k to 1M chunks."),
    met("i3-bar-files", "issue-3 bars", 3, "1,000 mixed files are all accounted for, no process above 1 GB."),
    met("i3-bar-rate", "issue-3 bars", 3, "Mixed files are indexed at 0.75 of the embedder's rate."),
    met(
        "i3-bar-watching",
        "issue-3 bars",
        3,
        "A watched change is searchable within 2 s at p95.",
        tests=("tests/bench/watching.py",),
    ),
    met("i3-bar-million", "issue-3 bars", 3, "Tenfold size costs at most 2.5 times the time."),
)
