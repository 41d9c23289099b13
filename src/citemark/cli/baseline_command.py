"""`citemark baseline`: names for states, and what differs between two."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from citemark.cli.command_context import FAILED, NOTHING_FOUND, CommandContext
from citemark.cli.consent import ASKING, Loss, Mode, agreed
from citemark.cli.counting import counted
from citemark.cli.missing import with_missing
from citemark.cli.search_command import local_files
from citemark.cli.styled import Styled, bold, faint
from citemark.model.baselines import GIT_PREFIX
from citemark.model.citation import Citation, iso
from citemark.model.scope import Principal, RequestScope
from citemark.results.document_changes import changes_out
from citemark.results.written import as_json
from citemark.services.app_context import AppContext
from citemark.services.asked_states import parse_moment, state_named
from citemark.services.bundle import LISTED_BASELINES
from citemark.services.document_diff import DocumentChange, DocumentChanges
from citemark.services.history_keys import BASELINES, DOCUMENT_DIFF, REPOSITORY_BASELINES
from citemark.services.listed_baselines import ShownBaseline
from citemark.services.requests import Caller, DiffRequest
from citemark.services.responses import ResponseMeta
from citemark.text.citation_line import line_of, name_of

_SHORT = 10
"""Characters of an abbreviated commit hash, as git shows them."""

_PAGE = 100
"""Documents of one page of a comparison; a command shows all pages."""


async def create_baseline(
    run: CommandContext, app: AppContext, name: str, source_names: Sequence[str], as_of: str | None
) -> int:
    """Give a name to the present state, to that of a moment, or to a commit.

    Raises:
        InvalidArgument: the name, a source or the moment is not acceptable.
    """
    if name.startswith(GIT_PREFIX):
        return await _create_of_commits(run, app, name.removeprefix(GIT_PREFIX), source_names)
    moment = None if as_of is None else parse_moment(as_of)
    baseline = await app.services.get(BASELINES).create(name, source_names, moment)
    run.show(
        {"created": _data(baseline), "notes": list(baseline.notes)},
        "\n".join([f"Created {_baseline_text(baseline)}.", *baseline.notes]),
    )
    return 0


async def _create_of_commits(run: CommandContext, app: AppContext, name: str, source_names: Sequence[str]) -> int:
    sources = [await app.sources.named(each) for each in source_names] or await app.sources.all()
    tenant = Principal.local().tenant
    several = "*" in name or "?" in name
    names, pattern = ((), name) if several else ((name,), None)
    baselines = await app.services.get(REPOSITORY_BASELINES).create(tenant, names, sources, pattern=pattern)
    data = [
        {
            "baseline_id": each.name,
            "commits": dict(each.commits),
            "written": each.written,
            "kept": each.kept,
            "problems": {source: len(problems) for source, problems in each.problems.items()},
        }
        for each in baselines
    ]
    lines = [
        f"Created {each.name} of {', '.join(each.commits)}: {each.written} documents read, {each.kept} already known"
        + "".join(f"; {counted(len(problems), 'problem')} in {source}" for source, problems in each.problems.items())
        for each in baselines
    ]
    run.show({"created": data}, "\n".join(lines))
    return 0


async def list_baselines(run: CommandContext, app: AppContext) -> int:
    """List every baseline, the oldest first."""
    baselines = await app.services.get(LISTED_BASELINES).list(Caller.local())
    nothing = "There are no baselines; `citemark baseline create NAME` creates one."
    run.show({"baselines": [_data(each) for each in baselines]}, "\n".join(map(_baseline_text, baselines)) or nothing)
    return 0


async def show_baseline(run: CommandContext, app: AppContext, name: str) -> int:
    """Show one baseline with its sources.

    Raises:
        InvalidArgument: there is no baseline of that name.
    """
    baseline = await app.services.get(BASELINES).show(name)
    lines = [
        f"  {each.source.name}: {each.documents} documents, {each.superseded} of their revisions superseded since"
        + (f", commit {each.commit_id}" if each.commit_id else "")
        for each in baseline.sources
    ]
    run.show(_data(baseline), "\n".join([_baseline_text(baseline), *lines]))
    return 0


async def delete_baseline(run: CommandContext, app: AppContext, name: str, mode: Mode = ASKING) -> int:
    """Forget a baseline; if superseded revisions belong to it, the person is asked.

    Raises:
        InvalidArgument: there is no baseline of that name, or history may be lost and nobody can be asked.
    """
    loss = await _deletion(app, name)
    if mode.dry_run:
        run.show({"dry_run": True, **(loss.data or {})}, f"{loss.text}\nNothing was changed (--dry-run).")
        return 0
    if (loss.data or {}).get("superseded_revisions") and not await agreed(run, loss, mode):
        return FAILED
    await app.services.get(BASELINES).delete(name)
    run.show({"deleted": name}, f"Deleted {name}; the next purge removes the history that only it kept.")
    return 0


async def _deletion(app: AppContext, name: str) -> Loss:
    """What the next purge may remove once a baseline is deleted; nothing if its making was cut short."""
    finished = {each.baseline.name for each in await app.services.get(LISTED_BASELINES).list(Caller.local())}
    sources = (await app.services.get(BASELINES).show(name)).sources if name in finished else ()
    superseded = sum(each.superseded or 0 for each in sources)
    lines = [f"{each.source.name}: {each.documents} documents, {each.superseded} superseded" for each in sources]
    data = {"baseline": name, "superseded_revisions": superseded}
    return Loss(
        f"This deletes the baseline {name}; the next purge may forget the {superseded:,} superseded revisions in it",
        lines,
        data,
    )


async def diff_baselines(
    run: CommandContext, app: AppContext, states: tuple[str, str], source: str | None, path_prefix: str | None
) -> int:
    """Show all documents that differ between two states.

    Raises:
        InvalidArgument: a state cannot be read, or there is no such source.
    """
    source_name = None if source is None else (await app.sources.named(source)).name
    request = DiffRequest(
        before=states[0],
        after=states[1],
        scope=RequestScope(source=source_name),
        path_prefixes=() if path_prefix is None else (path_prefix,),
        page_size=_PAGE,
    )
    caller, service = Caller.local(), app.services.get(DOCUMENT_DIFF)
    page = await service.documents(caller, request)
    changes, withheld = list(page.changes), page.meta.withheld_unverified
    following = page
    while cursor := await service.cursor(caller, request, following, len(following.changes)):
        following = await service.documents(caller, replace(request, cursor=cursor))
        changes += following.changes
        withheld += following.meta.withheld_unverified
    files = await local_files(app)
    meta = replace(page.meta, withheld_unverified=withheld, reading=page.meta.reading.withholding(withheld))
    meta = replace(meta, partial=False, limit_reason="none", next_cursor=None)
    run.show(as_json(changes_out(page, changes, meta), files), _diff_text(page, changes, meta))
    return 0 if changes else NOTHING_FOUND


def _data(shown: ShownBaseline) -> dict[str, Any]:
    return {
        "baseline_id": shown.baseline.name,
        "as_of": iso(shown.as_of),
        "made_at": iso(shown.baseline.made_at),
        "sources": [
            {
                "name": each.source.name,
                "commit": each.commit_id,
                **({} if each.documents is None else {"documents": each.documents, "superseded": each.superseded}),
            }
            for each in shown.sources
        ],
    }


def _baseline_text(shown: ShownBaseline) -> str:
    sources = ", ".join(each.source.name for each in shown.sources)
    moment = iso(shown.as_of.replace(microsecond=0))
    commits = {each.commit_id[:_SHORT] for each in shown.sources if each.commit_id}
    if commits:
        return f"{shown.baseline.name}: commit {', '.join(sorted(commits))} of {sources}, read at {moment}"
    return f"{shown.baseline.name}: state of {moment} of {sources}"


def _diff_text(page: DocumentChanges, changes: Sequence[DocumentChange], meta: ResponseMeta) -> Styled:
    counts = page.counts
    text = Styled()
    text.line(f"From {state_named(page.pair.before)} to {state_named(page.pair.after)}:")
    text.line(f"{counts.added} added, {counts.removed} removed, {counts.changed} changed, {counts.renamed} renamed")
    for each in changes:
        text.line(f"{each.change} ", bold(_document_name(each.before, each.after)))
        for side, citation in (("before", each.before), ("after", each.after)):
            if citation is not None:
                text.line("    ", faint(f"{side}: {line_of(citation)}"))
        for place in each.places:
            for sign, part in (("-", place.before), ("+", place.after)):
                lines = [] if part is None else part.text.split("\n")
                text.extend([f"    {sign} {line}" for line in lines])
        if each.more_places:
            text.line(f"    and {each.more_places} more places")
    text.extend([f"Note: {note}." for note in page.meta.notes])
    return with_missing(text, meta)


def _document_name(before: Citation | None, after: Citation | None) -> str:
    names = dict.fromkeys(name_of(each) for each in (before, after) if each is not None)
    return " -> ".join(names)
