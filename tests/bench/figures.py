"""Results as rows of the table: figure, measured, bar, met."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log10
from typing import Any

Results = dict[str, dict[str, Any]]

_MIXED_RATIO = 0.75
_LARGEST_PROCESS = 953
"""MiB: one gigabyte."""

_LARGEST_SYNC = 763
"""MiB: 800 megabytes."""

_FEW_REQUESTS = 60


@dataclass(frozen=True, slots=True)
class Figure:
    """One row. `met` is None where there is no bar."""

    name: str
    measured: str
    bar: str = ""
    met: bool | None = None


def figures(results: Results) -> list[Figure]:
    """Every row that the results give, in the order of the page."""
    return [row for part in _PARTS for row in part(results)]


def _quality(results: Results) -> Iterator[Figure]:
    bars = {"scifact": 0.73, "claudedocs": 0.8, "cranfield": 0.4}
    for name, bar in bars.items():
        found = results.get("collections", {}).get(name)
        if found:
            value = found["ndcg_at_10"]
            yield Figure(f"nDCG@10, {name}", f"{value:.3f}", f">= {bar:.3f}", value >= bar)
    golden = results.get("golden")
    if golden:
        hit = golden["evidence_hit_at_5"]
        yield Figure("answer inside the evidence of the top 5 (docs-dev)", f"{hit:.1%}", ">= 85 %", hit >= 0.85)
        lost, rejected = golden["lost"], golden["rejected"]
        yield Figure("answerable lost to the threshold", f"{lost} of {golden['answerable']}", "<= 1", lost <= 1)
        total = golden["unanswerable"]
        yield Figure("unanswerable rejected", f"{rejected} of {total}", ">= 2 (aim at 4)", rejected >= 2)
        share = golden["bytes_share"]
        yield Figure("bytes to the model, evidence against full sections", f"{share:.3f}", "<= 0.125", share <= 0.125)
        if "text_share" in golden:
            share = golden["text_share"]
            yield Figure("the same, text without structured content", f"{share:.3f}", "<= 0.125", share <= 0.125)
    lists = results.get("agent_lists")
    if lists:
        every, core = lists["all"], lists["core"]
        told = ", ".join(
            f"{each['right']} of {lists['questions']} in {each['calls']} calls and {each['bytes']:,} bytes"
            for each in (every, core)
        )
        same = all(core[name] == every[name] for name in ("right", "calls", "bytes"))
        yield Figure("an agent's loop with the list of all tools, and with the core's", told, "equal", same)
    unanswered = results.get("unanswered")
    if unanswered:
        told = unanswered["documents"]["phrased"]
        share, wrong = told["unanswerable_told"] / told["unanswerable"], len(told["answerable_told"])
        yield Figure("unanswerable, of 40 written unseen: told first", f"{share:.1%}", ">= 80 %", share >= 0.8)
        shown = f"{wrong} of {told['answerable']}"
        yield Figure("answerable with phrasings, told so", shown, "<= 2 %", wrong <= 0.02 * told["answerable"])
    beside = results.get("beside")
    if beside:
        what = "golden questions beside 150 documents, 21 of them German and 9 French"
        more, most = beside["further_abstentions"], max(beside["document_hits_lost"], beside["evidence_hits_lost"])
        yield Figure(f"{what}: further abstentions", f"{more} of {beside['answerable']}", "0", more == 0)
        yield Figure("pages and answers among the first five lost to them", f"at most {most}", "<= 1", most <= 1)


def _sampled_answers(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "concurrent_answers"):
        size = f"{_count(part)} chunks"
        p50, ratio = found["added"]["p50_ms"], found["p95_ratio"]
        yield _capped(f"added to a sampling answer, {size}: p50", p50, "ms", 50, barred=part.endswith("-100000"))
        served, asked = found["answers"], found["asked"]
        yield Figure(f"answers served, 16 in flight, {size}", f"{served} of {asked}", "all", served == asked)
        yield Figure(f"searches beside them, {size}: p95 over idle", f"{ratio:.2f}", "<= 4", ratio <= 4)


def _search(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "search"):
        idle, busy = found["idle"], found["indexing"]
        what = f"kb.search over stdio, {_count(part)} chunks"
        barred = part.endswith("-100000")
        p50, p95, ratio = idle["p50_ms"], idle["p95_ms"], found["p95_ratio"]
        yield _capped(f"{what}: p50", p50, "ms", 24, barred=barred)
        yield _capped(f"{what}: p95", p95, "ms", 40, barred=barred)
        yield Figure(
            f"{what}: p95 during indexing",
            f"{busy['p95_ms']:.1f} ms, {ratio:.1f} x",
            "<= 3 x idle" if barred else "",
            ratio <= 3 if barred else None,
        )
        yield _capped("memory of the server process after it", found["rss_mib"], "MiB", 600, barred=barred)


def _first_paint(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "first_paint"):
        size, barred = f"{_count(part)} chunks", part.endswith("-100000")
        painted, hits, document = found["first_paint"]["p95_ms"], found["hits"]["p95_ms"], found["large_document"]
        yield _capped(f"first paint of a search in Chromium, {size}: p95", painted, "ms", 300, barred=barred)
        yield _capped(f"hits in Chromium after the pause in typing, {size}: p95", hits, "ms", 250, barred=barred)
        yield _capped("first load of the pages, transferred", found["first_load_bytes"] / 1024, "KiB", 120, barred=True)
        yield _capped("first paint of a document of 5 MB: p95", document["p95_ms"], "ms", 1000, barred=True)
        seen, times = document["in_view"], document["questions"]
        yield Figure("its cited words in view when it is loaded", f"{seen} of {times}", "all", seen == times)


def _phrasings(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "phrasings"):
        barred = part.endswith("-100000")
        for tool, most in (("kb_search", 24), ("kb_retrieve_evidence", 45)):
            entry = found["tools"][tool]
            what = f"{tool.replace('_', '.', 1)} over stdio in turns, {_count(part)} chunks: p50"
            yield _capped(what, entry["alone"]["p50_ms"], "ms", most, barred=barred)
            shown, ratio = f"{entry['phrased']['p50_ms']:.1f} ms, {entry['ratio']:.2f} x", entry["ratio"]
            yield Figure("the same with three further phrasings", shown, "<= 2.5 x", ratio <= 2.5)
        if "without_graph" in found:
            ratio = found["without_graph"]["ratio"]
            name = f"kb.search without the graph over the same with it, {_count(part)}"
            yield Figure(name, f"{ratio} x", ">= 0.9 x", ratio >= 0.9)


def _retrieval(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "retrieval"):
        engines = found["engines"]
        shown = ", ".join(f"{name} {entry['p50_ms']:.1f}/{entry['p95_ms']:.1f}" for name, entry in engines.items())
        ratio = found["ratio"]
        barred = part.endswith("-100000")
        yield Figure(f"retrieval without embedding, {_count(part)} chunks, p50/p95 ms", shown)
        yield Figure(
            f"its p50 over lancedb's, {_count(part)} chunks",
            f"{ratio['lancedb']:.2f} x (over {_others(ratio)})",
            "<= 1.2 x" if barred else "",
            ratio["lancedb"] <= 1.2 if barred else None,
        )

    yield from _growth(_sized(results, "retrieval"))


def _growth(parts: list[tuple[str, dict[str, Any]]]) -> Iterator[Figure]:
    """How much tenfold size costs, engine by engine, from the smallest to the largest size measured."""
    if len(parts) < 2:
        return
    (first, least), (last, most) = parts[0], parts[-1]
    decades = log10(int(last.rpartition("-")[2]) / int(first.rpartition("-")[2]))
    costs = {
        name: (entry["p50_ms"] / least["engines"][name]["p50_ms"]) ** (1 / decades)
        for name, entry in most["engines"].items()
        if name in least["engines"]
    }
    own = costs.pop("citemark")
    others = ", ".join(f"{name} {cost:.1f}" for name, cost in costs.items())
    yield Figure(
        f"p50 for tenfold size, {_count(first)} to {_count(last)} chunks",
        f"{own:.2f} x ({others})",
        "<= 2.5 x",
        own <= 2.5,
    )


def _others(ratio: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in ratio.items() if name != "lancedb")


def _indexing(results: Results) -> Iterator[Figure]:
    load = results.get("load")
    if load:
        rate = load["chunks_per_s"]
        yield Figure("text searchable on first load", f"{rate} chunks/s", ">= 1,000/s", rate >= 1000)
    for part, found in _sized(results, "edits"):
        rate = found["chunks_per_s"]
        yield Figure(f"live edits beside {_count(part)} chunks", f"{rate} chunks/s", ">= 250/s", rate >= 250)
    whole = results.get("whole")
    if whole:
        ratio = whole["ratio"]
        shown = f"{ratio:.2f} x ({whole['chunks_per_s']} of {whole['embedder_per_s']} chunks/s)"
        yield Figure("whole indexing while idle, over the embedder's own rate", shown, ">= 0.9 x", ratio >= 0.9)
    runtimes = results.get("runtimes")
    if runtimes:
        ratio = runtimes["ratio"]
        shown = f"{ratio:.2f} x ({runtimes['openvino_per_s']} and {runtimes['onnxruntime_per_s']} chunks/s)"
        yield Figure("documents by OpenVINO, over onnxruntime, one core", shown, ">= 1.6 x", ratio >= 1.6)
    rescan = results.get("rescan")
    if rescan:
        seconds, touched = rescan["seconds"], rescan["touched"]
        yield Figure(
            f"re-scan of {rescan['files']:,} unchanged files",
            f"{seconds:.2f} s, {touched} touched",
            "< 2 s, nothing embedded",
            seconds < 2 and not touched,
        )
    watching = results.get("watching")
    if watching:
        p50, p95 = watching["p50_s"], watching["p95_s"]
        what = f"saved file to search hit among {watching['files']:,} files, followed by serve: p50, p95"
        yield Figure(what, f"{p50:.2f}, {p95:.2f} s", "p95 < 2 s", p95 < 2)


def _mixed_formats(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "mixed_formats"):
        what = f"{_count(part)} mixed office, PDF, HTML and mail files"
        barred = part.endswith("-1000")
        lost = found["unaccounted"]
        shown = f"{found['documents']:,} indexed, {found['reported']:,} reported, {lost:,} lost"
        yield Figure(what, shown, "all accounted for" if barred else "", lost == 0 if barred else None)
        ratio = found["ratio"]
        shown = f"{ratio:.2f} x ({found['chunks_per_s']} of {found['embedder_per_s']} chunks/s)"
        bar, met = (">= 0.75 x", ratio >= _MIXED_RATIO) if barred else ("", None)
        yield Figure("their indexing, over the embedder's own rate", shown, bar, met)
        peaks: dict[str, int] = found["peak_mib"]
        shown = ", ".join(f"{name} {size:,}" for name, size in sorted(peaks.items(), key=lambda entry: -entry[1]))
        bar, met = (f"<= {_LARGEST_PROCESS:,} MiB", max(peaks.values()) <= _LARGEST_PROCESS) if barred else ("", None)
        yield Figure("largest process of each kind meanwhile, MiB", shown, bar, met)


def _nextcloud(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "nextcloud"):
        barred = part.endswith("-17000")

        def row(what: str, shown: str, bar: str, *, met: bool, barred: bool = barred) -> Figure:
            return Figure(what, shown, bar if barred else "", met if barred else None)

        what = f"Nextcloud account of {_count(part)} documents"
        lost = found["wrong"] + found["failed"]
        shown = (
            f"{found['documents']:,} read, {lost} missing or wrong, {found['requests_per_document']:.2f} requests each"
        )
        yield row(what, shown, "all accounted for", met=not lost)
        ratio = found["over_embedder"]
        shown = f"{ratio:.2f} x ({found['vectors'] / found['seconds']:.1f} of {found['embedder_per_s']} texts/s)"
        yield row("its first sync, over the embedder's own rate", shown, ">= 0.75 x", met=ratio >= _MIXED_RATIO)
        asked, seconds = found["unchanged_requests"], found["unchanged_s"]
        met = asked <= _FEW_REQUESTS and seconds < 3 and not found["unchanged_vectors"]
        yield row("sync of it unchanged", f"{asked} requests, {seconds:.2f} s", "<= 60 requests, < 3 s", met=met)
        note = found["note_s"]
        yield row("a new note of it, from scan to found", f"{note:.2f} s", "< 2 s", met=note < 2)
        added, cached = found["verify_added_ms"], found["cached_added_ms"]
        shown, bar = f"{added} ms, {cached} ms", "<= 120 ms, <= 5 ms"
        met = added <= 120 and cached <= 5
        yield row("checking ten hits at 50 ms latency, and from the cache", shown, bar, met=met)
        peak = found["peak_mib"]
        yield row("largest process meanwhile", f"{peak} MiB", "< 800 MB", met=peak < _LARGEST_SYNC)


def _log_beside(results: Results) -> Iterator[Figure]:
    if found := results.get("log_beside"):
        least, most = min(found["ratios"]), max(found["ratios"])
        shown = f"{found['ratio']} x ({least} to {most} in {len(found['ratios'])} turns)"
        name = "vectors of every other document of an account beside a log of 5 MB, over without it"
        yield Figure(name, shown, "<= 1.3 x", found["ratio"] <= 1.3)


def _large_account(results: Results) -> Iterator[Figure]:
    found = results.get("large_account")
    if found:
        lost = found["unaccounted"]
        shown = f"{found['events']:,} events read, {found['reported']} file reported, {lost} lost"
        yield Figure("Nextcloud account with a file of 200 MB and 20,000 events", shown, "all accounted for", lost == 0)
        peaks: dict[str, int] = found["peak_mib"]
        shown = ", ".join(f"{name} {size:,}" for name, size in sorted(peaks.items(), key=lambda entry: -entry[1]))
        met = max(peaks.values()) < _LARGEST_SYNC
        yield Figure("largest process of each kind during its first sync, MiB", shown, "< 800 MB", met)


def _models(results: Results) -> Iterator[Figure]:
    found = results.get("models")
    if found:
        shown = f"{found['read_s']:.1f} s, {found['peak_mib']:.0f} MiB"
        met = found["read_s"] < 15 and found["peak_mib"] < 1024
        yield Figure(f"reading a model of {found['documents']:,} elements", shown, "< 15 s, < 1 GB", met)
        shown, met = f"{found['rename_s']:.2f} s", found["rename_s"] < 1
        yield Figure("a renamed element with 50 neighbours, from the save to its hit", shown, "< 1 s", met)


def _answers(results: Results) -> Iterator[Figure]:
    found = results.get("answers")
    if found:
        least = min(found[name] for name in ("citations", "out_of_range", "uncited"))
        what = "golden answers: citations, out of range and uncited as expected, the least"
        yield Figure(what, f"{least:.3f}", ">= 0.980", least >= 0.98)
        for name, bar in (("unsupported", 0.75), ("claims", 0.95)):
            precision, recall = found[f"{name}_precision"], found[f"{name}_recall"]
            what = {"unsupported": "unsupported sentences", "claims": "claims of no document"}[name]
            met = min(precision, recall) >= bar
            yield Figure(f"{what}: precision, recall", f"{precision:.3f}, {recall:.3f}", f">= {bar:.2f} each", met)
        half = found["even"]
        shown = f"{half['unsupported_precision']:.3f}, {half['unsupported_recall']:.3f}"
        yield Figure("unsupported sentences of the half not fitted to", shown)
        yield Figure("the check of one answer, p50, p95", f"{found['p50_ms']:.0f}, {found['p95_ms']:.0f} ms")
    quoted = results.get("quoted")
    if quoted:
        share = quoted["holds"] / quoted["answerable"]
        shown = f"{share:.1%} ({quoted['holds']} of {quoted['answerable']})"
        yield Figure("extractive answer holds the golden span", shown, ">= 80 %", share >= 0.8)
        median, most = quoted["prompt_median"], quoted["prompt_most"]
        met = median <= 2500 and most <= 4000
        yield Figure("tokens of a prompt: median, most", f"{median:,}, {most:,}", "<= 2,500, <= 4,000", met)


def _starting(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "start"):
        tools, search = found["tools_s"], found["search_s"]
        what = f"serve beside a running PostgreSQL, {_count(part)} chunks"
        yield Figure(f"{what}: tools/list", f"{tools:.2f} s", "< 1 s", tools < 1)
        yield Figure(f"{what}: first search", f"{search:.2f} s", "< 2.5 s", search < 2.5)
        yield Figure(
            "from cold: tools/list, first search", f"{found['cold_tools_s']:.2f}, {found['cold_search_s']:.2f} s"
        )


def _footprint(results: Results) -> Iterator[Figure]:
    installed = results.get("install")
    if installed:
        yield _capped("installed environment", installed["mib"], "MiB", 360, barred=True)
    for part, found in _sized(results, "disk"):
        tables = sorted(found["tables"].items(), key=lambda entry: -entry[1])
        shown = ", ".join(f"{name} {size:,}" for name, size in tables if size)
        name, barred = f"disk per chunk, {_count(part)} chunks", part.endswith("-100000")
        size = f"{found['bytes_per_chunk']:,} bytes ({shown})"
        yield Figure(
            name, size, "<= 7,500 bytes" if barred else "", found["bytes_per_chunk"] <= 7500 if barred else None
        )


def _history(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "history"):
        barred = part.endswith("-5000")
        what = f"{_count(part)} documents x {found['revisions']} revisions"
        head, without, then = (found[name]["p50_ms"] for name in ("head", "without_history", "as_of"))
        under = _under(found)

        def row(name: str, shown: str, bar: str, *, met: bool, barred: bool = barred) -> Figure:
            return Figure(name, shown, bar if barred else "", met if barred else None)

        ratio = found["head_ratio"]
        shown = f"{ratio:.2f} x ({head:.0f} and {without:.0f} ms{under})"
        yield row(f"kb_search of {what}, over that without history", shown, "<= 1.2 x", met=ratio <= 1.2)
        ratio = found["as_of_ratio"]
        shown = f"{ratio:.2f} x, p50 {then:.0f} ms, first of a state {found['first_of_a_state_ms']:.0f} ms{under}"
        met = ratio <= 5 and then <= 150
        yield row("the same of five moments in turn, over that of HEAD", shown, "<= 5 x, p50 <= 150 ms", met=met)
        yield Figure("disk per superseded revision of five chunks", f"{found['bytes_per_superseded_revision']:,} bytes")


def _changes(results: Results) -> Iterator[Figure]:
    found = results.get("changes")
    if found:
        for what, unit in (("documents", "kb_diff"), ("elements", "diffBaselines")):
            took = found[f"{what}_s"]
            name = f"{unit} of {found[what]:,} {what}, {found[f'{what}_changed']} of them changed"
            yield Figure(name, f"{took:.2f} s{_under(found)}", "< 1 s", took < 1)
    tags = results.get("repository")
    if tags:
        ratio = tags["ratio"]
        name = (
            f"baselines of {tags['tags']} tags of {tags['pages']} pages, over a folder of {tags['revisions']} revisions"
        )
        shown = f"{ratio:.2f} x ({tags['tags_s']:.0f} and {tags['folder_s']:.0f} s{_under(tags)})"
        yield Figure(name, shown, "<= 1.3 x", ratio <= 1.3)


def _under(found: dict[str, Any]) -> str:
    return f", load {max(found['load']):.0f}" if max(found["load"]) > 1 else ""


def _graph(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "graph"):
        barred = part.endswith("-100000")
        what = f"a graph of {_count(part)} nodes of degree 10"
        for name, called, most, worst in (
            ("expand", "graph_expand, 2 hops,", 8, 30),
            ("paths", "graph_paths, up to 5 hops,", 50, None),
        ):
            p50, p95 = found[name]["p50_ms"], found[name]["p95_ms"]
            bar = f"p50 <= {most} ms" + (f", p95 <= {worst} ms" if worst else "")
            met = p50 <= most and (worst is None or p95 <= worst)
            shown = f"p50 {p50:.1f} ms, p95 {p95:.1f} ms{_under(found)}"
            yield Figure(f"{called} {what}", shown, bar if barred else "", met if barred else None)


def _mentions(results: Results) -> Iterator[Figure]:
    found = results.get("mentions")
    if found is not None:
        ratio = found["ratio"]
        shown = f"{ratio} x ({found['seconds_off']} and {found['seconds_on']} s for {found['chunks']:,} chunks)"
        yield Figure("texts indexed without mentions, over with them", shown, ">= 0.9 x", ratio >= 0.9)


def _people(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "many_clients"):
        ratio, errors = found["p95_by_single_p50"], found["errors"]
        start, end = found["rss_start_mib"], found["rss_end_mib"]
        clients = f"{found['clients']} clients of one HTTP server for five minutes"
        name = f"{clients}, {_count(part)} chunks: p95 over one's median"
        shown = f"{ratio} x, {errors} errors of {found['calls']:,}, {start} to {end} MiB"
        yield Figure(name, shown, "<= 5 x, no error, memory flat", ratio <= 5 and not errors and end <= start * 1.1)


def _over_grpc(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "over_grpc"):
        shown = f"{found['ratio']} x ({found['grpc_p50_ms']} of {found['http_p50_ms']} ms)"
        name = f"a search over gRPC, over the same by HTTP in turns, {_count(part)} chunks: p50"
        yield Figure(name, shown, "<= 0.9 x", found["ratio"] <= 0.9)


def _backup(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "backup"):
        seconds, ratio, failed = found["seconds"], found["p95_ratio"], found["failed"]
        asked = f"{found['questions_meanwhile']:,} questions meanwhile: p95 {ratio} x, {failed} errors"
        shown = f"{seconds} s, {found['megabytes']:,} MB; {asked}; restored in {found['restore_seconds']} s"
        met = seconds <= 60 and ratio <= 2 and not failed
        yield Figure(f"backup while serving, {_count(part)} chunks", shown, "<= 60 s; <= 2 x, no error", met)


def _partitions(results: Results) -> Iterator[Figure]:
    for part, found in _sized(results, "partitions"):
        for fence, what, most in (("one", "one source", 1.05), ("all", f"{found['sources']} sources", 1.3)):
            ratio = found[f"ratio_{fence}"]
            divided, whole = found[f"divided_{fence}"], found[f"whole_{fence}"]
            name = (
                f"a question over {what} in {found['partitions']} partitions, over that without, {_count(part)} chunks"
            )
            shown = (
                f"{ratio['processor']:.2f} x of processor time ({divided['processor_ms']:.0f} and "
                f"{whole['processor_ms']:.0f} ms), {ratio['elapsed']:.2f} x elapsed{_under(found)}"
            )
            yield Figure(name, shown, f"<= {most} x", ratio["processor"] <= most)


_PARTS: tuple[Callable[[Results], Iterator[Figure]], ...] = (
    _quality,
    _search,
    _first_paint,
    _phrasings,
    _retrieval,
    _indexing,
    _mixed_formats,
    _nextcloud,
    _large_account,
    _log_beside,
    _models,
    _answers,
    _sampled_answers,
    _starting,
    _footprint,
    _history,
    _graph,
    _people,
    _over_grpc,
    _mentions,
    _changes,
    _backup,
    _partitions,
)


def _sized(results: Results, part: str) -> list[tuple[str, dict[str, Any]]]:
    found = [(name, entry) for name, entry in results.items() if name.startswith(f"{part}-")]
    return sorted(found, key=lambda entry: int(entry[0].rpartition("-")[2]))


def _count(part: str) -> str:
    return f"{int(part.rpartition('-')[2]):,}"


def _capped(name: str, value: float, unit: str, bar: float, *, barred: bool) -> Figure:
    shown = f"{value:.1f} {unit}" if unit == "ms" else f"{value:.0f} {unit}"
    return Figure(name, shown, f"<= {bar:.0f} {unit}" if barred else "", value <= bar if barred else None)
