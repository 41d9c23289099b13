"""Results as rows of the table: figure, measured, bar, met, and when and under which load it was measured."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import log10
from types import MappingProxyType
from typing import Any

Result = dict[str, Any]
Results = dict[str, Result]

_MIXED_RATIO = 0.75
_LARGEST_PROCESS = 953
"""MiB: one gigabyte."""

_LARGEST_SYNC = 763
"""MiB: 800 megabytes."""

_FEW_REQUESTS = 60


@dataclass(frozen=True, slots=True)
class Figure:
    """One row. `met` is None where there is no bar; `load` is the load average, None if it was not noted."""

    name: str
    measured: str
    bar: str = ""
    met: bool | None = None
    on: str = ""
    load: float | None = None


def figures(results: Results) -> list[Figure]:
    """Every row that the results give, in the order of the page."""
    rows: list[Figure] = []
    for part, rows_of in _PARTS.items():
        named = _named(results, part)
        for name in named:
            rows += [_dated(row, [results[name]]) for row in rows_of(name, results[name])]
        if part == "retrieval" and len(named) > 1:
            rows += [_dated(row, [results[name] for name in named]) for row in _growth(results, named)]
    return rows


def _named(results: Results, part: str) -> list[str]:
    """The names of a part's results: the part's own, or one for each size, the smallest first."""
    sized = [name for name in results if name.startswith(f"{part}-") and name[len(part) + 1 :].isdigit()]
    return [part] if part in results else sorted(sized, key=_size)


def _dated(row: Figure, found: list[Result]) -> Figure:
    """The row with the earliest day and the highest load of the results that it is taken from."""
    loads = [load for load in map(_load, found) if load is not None]
    return replace(row, on=min(result["on"] for result in found), load=max(loads, default=None))


def _load(found: Result) -> float | None:
    load: float | list[float] | None = found.get("load", found.get("load_before"))
    return max(load) if isinstance(load, list) else load


def _yardsticks(_: str, found: Result) -> Iterator[Figure]:
    enterprise = found["enterprise"]
    best = max(enterprise["published"].values())
    score, known = enterprise["score"], ", ".join(f"{name} {value}" for name, value in enterprise["published"].items())
    yield Figure(
        "EnterpriseRAG-Bench, 50 questions: score of 100 (published: " + known + ")",
        f"{score} ± {enterprise['score_95']}",
        f">= {best}",
        score >= best,
    )
    told, of = enterprise["unanswerable_told"], enterprise["unanswerable"]
    yield Figure("its unanswerable questions: told first what is absent", f"{told} of {of}")
    for name, span in found["spans"].items():
        shown = f"{span['recall']:.3f}, {span['precision']:.3f}, {span['iou']:.3f}"
        yield Figure(f"chunking-evaluation, {name}: recall, precision, IoU of what is quoted", shown)


def _agent_cost(_: str, found: Result) -> Iterator[Figure]:
    shown = ", ".join(
        f"{who} {found[who]['right']} right for {found[who]['calls']} calls and {found[who]['bytes']:,} bytes"
        for who in ("citemark", "grep")
    )
    yield Figure(f"what an agent pays for {found['questions']} questions on documentation", shown)


def _collections(_: str, found: Result) -> Iterator[Figure]:
    for name, bar in {"scifact": 0.73, "claudedocs": 0.8, "cranfield": 0.4}.items():
        value = found[name]["ndcg_at_10"]
        yield Figure(f"nDCG@10, {name}", f"{value:.3f}", f">= {bar:.3f}", value >= bar)


def _golden(_: str, found: Result) -> Iterator[Figure]:
    hit = found["evidence_hit_at_5"]
    yield Figure("answer inside the evidence of the top 5 (docs-dev)", f"{hit:.1%}", ">= 85 %", hit >= 0.85)
    lost, rejected = found["lost"], found["rejected"]
    yield Figure("answerable lost to the threshold", f"{lost} of {found['answerable']}", "<= 1", lost <= 1)
    total = found["unanswerable"]
    yield Figure("unanswerable rejected, or told so first", f"{rejected} of {total}", ">= 2 (aim at 4)", rejected >= 2)
    share = found["bytes_share"]
    yield Figure("bytes to the model, evidence against full sections", f"{share:.3f}", "<= 0.125", share <= 0.125)
    share = found["text_share"]
    yield Figure("the same, text without structured content", f"{share:.3f}", "<= 0.125", share <= 0.125)


def _agent_lists(_: str, found: Result) -> Iterator[Figure]:
    every, core = found["all"], found["core"]
    told = ", ".join(
        f"{each['right']} of {found['questions']} in {each['calls']} calls and {each['bytes']:,} bytes"
        for each in (every, core)
    )
    same = all(core[name] == every[name] for name in ("right", "calls", "bytes"))
    yield Figure("an agent's loop with the list of all tools, and with the core's", told, "equal", same)


def _unanswered(_: str, found: Result) -> Iterator[Figure]:
    told = found["documents"]["phrased"]
    share, wrong = told["unanswerable_told"] / told["unanswerable"], len(told["answerable_told"])
    yield Figure("unanswerable, of 40 written unseen: told first", f"{share:.1%}", ">= 80 %", share >= 0.8)
    shown = f"{wrong} of {told['answerable']}"
    yield Figure("answerable with phrasings, told so", shown, "<= 2 %", wrong <= 0.02 * told["answerable"])


def _beside(_: str, found: Result) -> Iterator[Figure]:
    what = "golden questions beside 150 documents, 21 of them German and 9 French"
    more, most = found["further_abstentions"], max(found["document_hits_lost"], found["evidence_hits_lost"])
    yield Figure(f"{what}: further abstentions", f"{more} of {found['answerable']}", "0", more == 0)
    yield Figure("pages and answers among the first five lost to them", f"at most {most}", "<= 1", most <= 1)


def _sampled_answers(part: str, found: Result) -> Iterator[Figure]:
    size = f"{_count(part)} chunks"
    p50, ratio = found["added"]["p50_ms"], found["p95_ratio"]
    yield _capped(f"added to a sampling answer, {size}: p50", p50, "ms", 50, barred=part.endswith("-100000"))
    served, asked = found["answers"], found["asked"]
    yield Figure(f"answers served, 16 in flight, {size}", f"{served} of {asked}", "all", served == asked)
    yield Figure(f"searches beside them, {size}: p95 over idle", f"{ratio:.2f}", "<= 4", ratio <= 4)


def _search(part: str, found: Result) -> Iterator[Figure]:
    idle, busy = found["idle"], found["indexing"]
    what = f"kb.search over stdio, {_count(part)} chunks"
    barred = part.endswith("-100000")
    p50, p95, ratio = idle["p50_ms"], idle["p95_ms"], found["p95_ratio"]
    yield _capped(f"{what}: p50", p50, "ms", 20, barred=barred)
    yield _capped(f"{what}: p95", p95, "ms", 40, barred=barred)
    yield Figure(
        f"{what}: p95 during indexing",
        f"{busy['p95_ms']:.1f} ms, {ratio:.1f} x",
        "<= 3 x idle" if barred else "",
        ratio <= 3 if barred else None,
    )
    yield _capped("memory of the server process after it", found["rss_mib"], "MiB", 600, barred=barred)


def _first_paint(part: str, found: Result) -> Iterator[Figure]:
    size, barred = f"{_count(part)} chunks", part.endswith("-100000")
    painted, hits, document = found["first_paint"]["p95_ms"], found["hits"]["p95_ms"], found["large_document"]
    yield _capped(f"first paint of a search in Chromium, {size}: p95", painted, "ms", 300, barred=barred)
    yield _capped(f"hits in Chromium after the pause in typing, {size}: p95", hits, "ms", 250, barred=barred)
    yield _capped("first load of the pages, transferred", found["first_load_bytes"] / 1024, "KiB", 120, barred=True)
    yield _capped("first paint of a document of 5 MB: p95", document["p95_ms"], "ms", 1000, barred=True)
    seen, times = document["in_view"], document["questions"]
    yield Figure("its cited words in view when it is loaded", f"{seen} of {times}", "all", seen == times)


def _phrasings(part: str, found: Result) -> Iterator[Figure]:
    barred = part.endswith("-100000")
    for tool, most in (("kb_search", 20), ("kb_retrieve_evidence", 22)):
        entry = found["tools"][tool]
        what = f"{tool.replace('_', '.', 1)} over stdio in turns, {_count(part)} chunks: p50"
        yield _capped(what, entry["alone"]["p50_ms"], "ms", most, barred=barred)
        shown, ratio = f"{entry['phrased']['p50_ms']:.1f} ms, {entry['ratio']:.2f} x", entry["ratio"]
        yield Figure("the same with three further phrasings", shown, "<= 2.5 x", ratio <= 2.5)
    if "without_graph" in found:
        ratio = found["without_graph"]["ratio"]
        name = f"kb.search without the graph over the same with it, {_count(part)}"
        yield Figure(name, f"{ratio} x", ">= 0.9 x", ratio >= 0.9)


def _retrieval(part: str, found: Result) -> Iterator[Figure]:
    engines = found["engines"]
    shown = ", ".join(f"{name} {entry['p50_ms']:.1f}/{entry['p95_ms']:.1f}" for name, entry in engines.items())
    ratio = found["ratio"]
    most = {100_000: 1.2, 1_000_000: 1.5}.get(_size(part))
    yield Figure(f"retrieval without embedding, {_count(part)} chunks, p50/p95 ms", shown)
    yield Figure(
        f"its p50 over lancedb's, {_count(part)} chunks",
        f"{ratio['lancedb']:.2f} x (over {_others(ratio)})",
        "" if most is None else f"<= {most} x",
        None if most is None else ratio["lancedb"] <= most,
    )


def _nearest(_: str, found: Result) -> Iterator[Figure]:
    for which, what in (("real", "vectors of documents"), ("mixed", "mixed vectors")):
        recall, of = found[which]["recall"], f"{found[which]['vectors']:,}"
        yield Figure(f"of the hundred nearest of {of} {what}: found", f"{recall:.3f}", ">= 0.98", recall >= 0.98)


def _growth(results: Results, names: list[str]) -> Iterator[Figure]:
    """How much tenfold size costs, engine by engine, from the smallest to the largest size measured."""
    first, last = names[0], names[-1]
    least, most = results[first], results[last]
    decades = log10(_size(last) / _size(first))
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


def _first_load(_: str, found: Result) -> Iterator[Figure]:
    rate = found["chunks_per_s"]
    yield Figure("text searchable on first load", f"{rate} chunks/s", ">= 1,000/s", rate >= 1000)
    yield Figure("the same, against twice that", f"{rate} chunks/s", ">= 2,000/s", rate >= 2000)


def _edits(part: str, found: Result) -> Iterator[Figure]:
    rate = found["chunks_per_s"]
    yield Figure(f"live edits beside {_count(part)} chunks", f"{rate} chunks/s", ">= 250/s", rate >= 250)


def _whole(_: str, found: Result) -> Iterator[Figure]:
    ratio = found["ratio"]
    shown = f"{ratio:.2f} x ({found['chunks_per_s']} of {found['embedder_per_s']} chunks/s)"
    yield Figure("whole indexing while idle, over the embedder's own rate", shown, ">= 0.9 x", ratio >= 0.9)


def _runtimes(_: str, found: Result) -> Iterator[Figure]:
    ratio = found["ratio"]
    shown = f"{ratio:.2f} x ({found['openvino_per_s']} and {found['onnxruntime_per_s']} chunks/s)"
    yield Figure("OpenVINO over onnxruntime, embedding documents", shown, ">= 1.6 x", ratio >= 1.6)


def _rescan(_: str, found: Result) -> Iterator[Figure]:
    seconds, touched = found["seconds"], found["touched"]
    yield Figure(
        f"re-scan of {found['files']:,} unchanged files",
        f"{seconds:.2f} s, {touched} touched",
        "< 2 s, nothing embedded",
        seconds < 2 and not touched,
    )


def _watching(_: str, found: Result) -> Iterator[Figure]:
    p50, p95 = found["p50_s"], found["p95_s"]
    what = f"saved file to search hit among {found['files']:,} files, followed by serve: p50, p95"
    yield Figure(what, f"{p50:.2f}, {p95:.2f} s", "p95 < 2 s", p95 < 2)
    if "idle_share" in found:
        share = found["idle_share"]
        yield Figure("that server while nobody edits or asks", f"{share:.2%} of a core", "<= 1 %", share <= 0.01)


def _mixed_formats(part: str, found: Result) -> Iterator[Figure]:
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


def _nextcloud(part: str, found: Result) -> Iterator[Figure]:
    barred = part.endswith("-17000")

    def row(what: str, shown: str, bar: str, *, met: bool, barred: bool = barred) -> Figure:
        return Figure(what, shown, bar if barred else "", met if barred else None)

    what = f"Nextcloud account of {_count(part)} documents"
    lost = found["wrong"] + found["failed"]
    shown = f"{found['documents']:,} read, {lost} missing or wrong, {found['requests_per_document']:.2f} requests each"
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


def _log_beside(_: str, found: Result) -> Iterator[Figure]:
    least, most = min(found["ratios"]), max(found["ratios"])
    shown = f"{found['ratio']} x ({least} to {most} in {len(found['ratios'])} turns)"
    name = "vectors of every other document of an account beside a log of 5 MB, over without it"
    yield Figure(name, shown, "<= 1.3 x", found["ratio"] <= 1.3)


def _large_account(_: str, found: Result) -> Iterator[Figure]:
    lost = found["unaccounted"]
    shown = f"{found['events']:,} events read, {found['reported']} file reported, {lost} lost"
    yield Figure("Nextcloud account with a file of 200 MB and 20,000 events", shown, "all accounted for", lost == 0)
    peaks: dict[str, int] = found["peak_mib"]
    shown = ", ".join(f"{name} {size:,}" for name, size in sorted(peaks.items(), key=lambda entry: -entry[1]))
    met = max(peaks.values()) < _LARGEST_SYNC
    yield Figure("largest process of each kind during its first sync, MiB", shown, "< 800 MB", met)


def _models(_: str, found: Result) -> Iterator[Figure]:
    shown = f"{found['read_s']:.1f} s, {found['peak_mib']:.0f} MiB"
    met = found["read_s"] < 15 and found["peak_mib"] < 1024
    yield Figure(f"reading a model of {found['documents']:,} elements", shown, "< 15 s, < 1 GB", met)
    shown, met = f"{found['rename_s']:.2f} s", found["rename_s"] < 1
    yield Figure("a renamed element with 50 neighbours, from the save to its hit", shown, "< 1 s", met)


def _answers(_: str, found: Result) -> Iterator[Figure]:
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


def _quoted(_: str, found: Result) -> Iterator[Figure]:
    share = found["holds"] / found["answerable"]
    shown = f"{share:.1%} ({found['holds']} of {found['answerable']})"
    yield Figure("extractive answer holds the golden span", shown, ">= 80 %", share >= 0.8)
    median, most = found["prompt_median"], found["prompt_most"]
    met = median <= 2500 and most <= 4000
    yield Figure("tokens of a prompt: median, most", f"{median:,}, {most:,}", "<= 2,500, <= 4,000", met)


def _starting(part: str, found: Result) -> Iterator[Figure]:
    tools, search = found["tools_s"], found["search_s"]
    what = f"serve beside a running PostgreSQL, {_count(part)} chunks"
    yield Figure(f"{what}: tools/list", f"{tools:.2f} s", "< 1 s", tools < 1)
    yield Figure(f"{what}: first search", f"{search:.2f} s", "< 2.5 s", search < 2.5)
    yield Figure("from cold: tools/list, first search", f"{found['cold_tools_s']:.2f}, {found['cold_search_s']:.2f} s")


def _first_answer(_: str, found: Result) -> Iterator[Figure]:
    added, sdk = found["added_s"], found["sdk_s"]
    shown = f"{added:.3f} s of processor time over the {sdk:.2f} s of importing the SDK"
    yield Figure("tools/list from cold", shown, "<= 0.15 s", added <= 0.15)
    listed, answered = found["busy_tools_s"], found["busy_first_question_s"]
    shown, met = f"{listed:.2f} s, then {answered:.2f} s", listed <= 2.5 and answered <= 1
    yield Figure("the same beside two busy processes, then the first question", shown, "<= 2.5 s, <= 1 s", met)
    beside, alone = found["command_beside_server_s"], found["command_alone_s"]
    shown, met = f"{beside:.2f} s, {alone:.2f} s of processor time", beside <= 0.8 and alone <= 1.5
    yield Figure("citemark search beside a server, and without one", shown, "<= 0.8 s, <= 1.5 s", met)


def _install(_: str, found: Result) -> Iterator[Figure]:
    yield _capped("installed environment", found["mib"], "MiB", 360, barred=True)


def _disk(part: str, found: Result) -> Iterator[Figure]:
    tables = sorted(found["tables"].items(), key=lambda entry: -entry[1])
    shown = ", ".join(f"{name} {size:,}" for name, size in tables if size)
    name, barred = f"disk per chunk, {_count(part)} chunks", part.endswith("-100000")
    size = f"{found['bytes_per_chunk']:,} bytes ({shown})"
    yield Figure(name, size, "<= 7,500 bytes" if barred else "", found["bytes_per_chunk"] <= 7500 if barred else None)


def _history(part: str, found: Result) -> Iterator[Figure]:
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


def _kept_revisions(_: str, found: Result) -> Iterator[Figure]:
    size = found["bytes_per_superseded_revision"]
    shown = ", ".join(f"{name} {taken:,}" for name, taken in found["tables"].items() if taken >= 100)
    name = f"disk per superseded revision of a note ({found['note_bytes'] / 1000:.1f} kB, one of six sections changed)"
    yield Figure(name, f"{size:,} bytes ({shown})", "<= 9,216 bytes", size <= 9216)


def _changes(_: str, found: Result) -> Iterator[Figure]:
    for what, unit in (("documents", "kb_diff"), ("elements", "diffBaselines")):
        took = found[f"{what}_s"]
        name = f"{unit} of {found[what]:,} {what}, {found[f'{what}_changed']} of them changed"
        yield Figure(name, f"{took:.2f} s{_under(found)}", "< 1 s", took < 1)


def _repository(_: str, found: Result) -> Iterator[Figure]:
    ratio = found["ratio"]
    name = (
        f"baselines of {found['tags']} tags of {found['pages']} pages, over a folder of {found['revisions']} revisions"
    )
    shown = f"{ratio:.2f} x ({found['tags_s']:.0f} and {found['folder_s']:.0f} s{_under(found)})"
    yield Figure(name, shown, "<= 1.3 x", ratio <= 1.3)


def _under(found: Result) -> str:
    return f", load {max(found['load']):.0f}" if max(found["load"]) > 1 else ""


def _graph(part: str, found: Result) -> Iterator[Figure]:
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


def _mentions(_: str, found: Result) -> Iterator[Figure]:
    ratio = found["ratio"]
    shown = f"{ratio} x ({found['seconds_off']} and {found['seconds_on']} s for {found['chunks']:,} chunks)"
    yield Figure("texts indexed without mentions, over with them", shown, ">= 0.9 x", ratio >= 0.9)


def _people(part: str, found: Result) -> Iterator[Figure]:
    ratio, errors = found["p95_by_single_p50"], found["errors"]
    start, end = found["rss_start_mib"], found["rss_end_mib"]
    clients = f"{found['clients']} clients of one HTTP server for five minutes"
    name = f"{clients}, {_count(part)} chunks: p95 over one's median"
    shown = f"{ratio} x, {errors} errors of {found['calls']:,}, {start} to {end} MiB"
    yield Figure(name, shown, "<= 5 x, no error, memory flat", ratio <= 5 and not errors and end <= start * 1.1)


def _over_grpc(part: str, found: Result) -> Iterator[Figure]:
    shown = f"{found['ratio']} x ({found['grpc_p50_ms']} of {found['http_p50_ms']} ms)"
    name = f"a search over gRPC, over the same by HTTP in turns, {_count(part)} chunks: p50"
    yield Figure(name, shown, "<= 0.9 x", found["ratio"] <= 0.9)


def _backup(part: str, found: Result) -> Iterator[Figure]:
    seconds, ratio, failed = found["seconds"], found["p95_ratio"], found["failed"]
    asked = f"{found['questions_meanwhile']:,} questions meanwhile: p95 {ratio} x, {failed} errors"
    shown = f"{seconds} s, {found['megabytes']:,} MB; {asked}; restored in {found['restore_seconds']} s"
    met = seconds <= 60 and ratio <= 2 and not failed
    yield Figure(f"backup while serving, {_count(part)} chunks", shown, "<= 60 s; <= 2 x, no error", met)


def _partitions(part: str, found: Result) -> Iterator[Figure]:
    for fence, what, most in (("one", "one source", 1.05), ("all", f"{found['sources']} sources", 1.3)):
        ratio = found[f"ratio_{fence}"]
        divided, whole = found[f"divided_{fence}"], found[f"whole_{fence}"]
        name = f"a question over {what} in {found['partitions']} partitions, over that without, {_count(part)} chunks"
        shown = (
            f"{ratio['processor']:.2f} x of processor time ({divided['processor_ms']:.0f} and "
            f"{whole['processor_ms']:.0f} ms), {ratio['elapsed']:.2f} x elapsed{_under(found)}"
        )
        yield Figure(name, shown, f"<= {most} x", ratio["processor"] <= most)


_PARTS: Mapping[str, Callable[[str, Result], Iterator[Figure]]] = MappingProxyType(
    {
        "yardsticks": _yardsticks,
        "agent_cost": _agent_cost,
        "agent_lists": _agent_lists,
        "collections": _collections,
        "golden": _golden,
        "unanswered": _unanswered,
        "beside": _beside,
        "search": _search,
        "first_paint": _first_paint,
        "phrasings": _phrasings,
        "retrieval": _retrieval,
        "nearest": _nearest,
        "load": _first_load,
        "edits": _edits,
        "whole": _whole,
        "runtimes": _runtimes,
        "rescan": _rescan,
        "watching": _watching,
        "mixed_formats": _mixed_formats,
        "nextcloud": _nextcloud,
        "large_account": _large_account,
        "log_beside": _log_beside,
        "models": _models,
        "answers": _answers,
        "quoted": _quoted,
        "concurrent_answers": _sampled_answers,
        "start": _starting,
        "first_answer": _first_answer,
        "install": _install,
        "disk": _disk,
        "history": _history,
        "kept_revisions": _kept_revisions,
        "graph": _graph,
        "many_clients": _people,
        "over_grpc": _over_grpc,
        "mentions": _mentions,
        "changes": _changes,
        "repository": _repository,
        "backup": _backup,
        "partitions": _partitions,
    }
)
"""What makes the rows of each part's results, in the order of the page."""


def _size(part: str) -> int:
    return int(part.rpartition("-")[2])


def _count(part: str) -> str:
    return f"{int(part.rpartition('-')[2]):,}"


def _capped(name: str, value: float, unit: str, bar: float, *, barred: bool) -> Figure:
    shown = f"{value:.1f} {unit}" if unit == "ms" else f"{value:.0f} {unit}"
    return Figure(name, shown, f"<= {bar:.0f} {unit}" if barred else "", value <= bar if barred else None)
