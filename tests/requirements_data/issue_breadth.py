"""Issue 3, breadth: formats, languages, providers, hosts, the full yardstick."""

from tests.requirements_data.form import Requirement, met, planned

CLAUSES: tuple[Requirement, ...] = (
    planned("i3-1-html", "issue-3 part 1", 3, "HTML and saved sites are indexed with spans."),
    planned("i3-1-pdf", "issue-3 part 1", 3, "PDF is indexed with page numbers."),
    planned("i3-1-office", "issue-3 part 1", 3, "docx, xlsx, pptx and odt are indexed."),
    planned("i3-1-mail", "issue-3 part 1", 3, "E-mail text is indexed."),
    planned("i3-1-anchors", "issue-3 part 1", 3, "A citation into any format can be opened again."),
    planned("i3-1-capped", "issue-3 part 1", 3, "Each file is parsed in a process with time and memory caps."),
    planned("i3-1-bombs", "issue-3 part 1", 3, "Zip bombs, broken and encrypted files are reported."),
    met("i3-2-watch", "issue-3 part 2", 3, "sync --watch and serve follow changes, debounced."),
    met("i3-2-lost-events", "issue-3 part 2", 3, "After sleep and lost events the index is correct again."),
    planned("i3-3-cjk", "issue-3 part 3", 3, "CJK text is found by character bigrams."),
    planned("i3-4-providers", "issue-3 part 4", 3, "OpenAI-compatible, Azure and Cohere providers embed."),
    planned("i3-4-bounded", "issue-3 part 4", 3, "Batches are bounded by characters."),
    planned("i3-4-errors", "issue-3 part 4", 3, "Transient errors are retried as told, permanent ones shown."),
    planned("i3-4-switch", "issue-3 part 4", 3, "Changing the model leaves no gap in search."),
    planned("i3-5-http", "issue-3 part 5", 3, "Streamable HTTP on loopback is stateless and serves both eras."),
    planned("i3-5-interop", "issue-3 part 5", 3, "make interop runs foreign clients against it."),
    met("i3-6-install", "issue-3 part 6", 3, "install shows the change, asks, writes and keeps a backup."),
    planned("i3-7-report", "issue-3 part 7", 3, "Evaluation has an HTML report with plots."),
    planned("i3-7-compare", "issue-3 part 7", 3, "Two evaluations can be compared, per kind of question."),
    planned("i3-8-peers", "issue-3 part 8", 3, "The bench runs four peers on the same data."),
    planned("i3-8-growth", "issue-3 part 8", 3, "The bench shows growth from 10k to 1M chunks."),
    planned("i3-bar-files", "issue-3 bars", 3, "1,000 mixed files are all accounted for, no process above 1 GB."),
    planned("i3-bar-rate", "issue-3 bars", 3, "Mixed files are indexed at 0.75 of the embedder's rate."),
    planned("i3-bar-watching", "issue-3 bars", 3, "A watched change is searchable within 2 s at p95."),
    planned("i3-bar-million", "issue-3 bars", 3, "Tenfold size costs at most 2.5 times the time."),
)
