"""`citemark demo`: index the bundled documents in a folder of their own, ask three questions, remove the folder."""

import os
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from citemark.cli.command_context import CommandContext
from citemark.cli.install.server_entry import hint_about_uvx
from citemark.cli.search_command import evidence_text, local_files
from citemark.cli.service.running import running_on
from citemark.cli.styled import Styled, bold
from citemark.evidence.budget import EvidenceLimits
from citemark.model.clock import system_clock
from citemark.model.sources import NewSource
from citemark.results.found_quotes import found_evidence
from citemark.results.written import as_json
from citemark.services.app_context import AppContext
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings
from citemark.sources.docs.settings import DOCS

DOCUMENTS = Path(__file__).parent / "documents"
QUESTIONS = (
    "How long may shaped loaves rest in the cold room?",
    "What does E4 on the oven's display mean?",
    "From whom does the flour come, and when is it ordered?",
)

_PREFIX = "citemark-demo-"
_STOPPED_WORDS = "stopped; the temporary folder is removed, at the latest by the next demo\n"
_STARTING_SECONDS = 300.0
"""Within this, a demo that has just made its folder holds it as a user of its database."""

_INTRODUCTION = (
    "Ten short documents of a bakery come with Citemark. They are indexed in a temporary folder, apart from anything\n"
    "of yours, and three questions are answered from them."
)
_NEXT = (
    "The temporary folder is removed. With documents of your own:\n"
    "  citemark add FOLDER\n"
    '  citemark evidence "A question"\n'
    "  citemark install              # lists the AI programs on this machine, and adds Citemark to those you choose"
)


def demo_command(run: CommandContext) -> int:
    """Run the demo; whatever the settings say, it uses a temporary index and the bundled model."""
    began = perf_counter()
    _remove_left_behind()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))

    @asynccontextmanager
    async def temporary_index(settings: Settings, database: str | None = None) -> AsyncGenerator[AppContext, None]:
        """The index in the folder, which goes when the database over it has stopped."""
        try:
            async with run.open_index(settings, database) as app:
                yield app
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    settings = Settings.model_construct(data_dir=folder, watch=False)
    ours = replace(run, open_index=temporary_index, settings=settings, stopped_words=_STOPPED_WORDS)
    if not run.json:
        run.show({}, f"{_INTRODUCTION}\n")
    answers: list[dict[str, Any]] = []
    code = ours.attempt(lambda context, app: _answer_questions(context, app, answers))
    if code == 0:
        took = round(perf_counter() - began, 1)
        run.show({"answers": answers, "seconds": took}, f"That took {took} s. {_NEXT}\n{hint_about_uvx()}".rstrip())
    return code


def _remove_left_behind() -> None:
    """Remove the folders of demos that were ended by force, which no process uses any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        status = folder.stat()
        is_old = status.st_mtime < system_clock().timestamp() - _STARTING_SECONDS
        if is_old and status.st_uid == os.geteuid() and not running_on(folder):
            shutil.rmtree(folder, ignore_errors=True)


async def _answer_questions(run: CommandContext, app: AppContext, answers: list[dict[str, Any]]) -> int:
    """Index the documents and answer; the answers of a run with --json are left to be shown at its end."""
    config = {"root": str(DOCUMENTS), "ignore": False}
    source = await app.sources.add(NewSource(name="bakery", kind=DOCS, config=config, detects_language=True))
    with run.progress() as bar:
        await app.sync({source.source_id: source}, bar.step if bar is not None else lambda _: None, alone=True)
    files = await local_files(app)
    for question in QUESTIONS:
        evidence = await app.services.evidence.retrieve(
            Caller.local(), SearchRequest(query=question), EvidenceLimits(max_quotes=1)
        )
        answers.append({"question": question, **as_json(found_evidence(evidence), files)})
        if not run.json:
            heading = Styled()
            heading.line("? ", bold(question))
            heading.line()
            run.show({}, heading)
            run.show({}, evidence_text(evidence, files))
    return 0
