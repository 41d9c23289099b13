"""Files are parsed in processes that die of a bad file, of their parent's death, and of nothing else."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from tests.support.parsers import parsing_processes
from tests.support.patience import HANG_SECONDS

from citemark.extraction.dispatch import parse, read_file
from citemark.extraction.formats import Format, format_named
from citemark.extraction.html.document import extract_html
from citemark.extraction.sandbox.ipc import extracted_from_json, extracted_to_json
from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.model.errors import RetriableSourceError, SkippableSourceError

Running = Callable[[], set[int]]

HTML = format_named("html")
PAGE = (
    b"<title>Setup guide</title><h1>Setup</h1><p>Words and <a href=x>links</a>.</p>"
    b"<table><tr><th>a<th>b<tr><td>1<td>2</table>"
)


@pytest.fixture
async def pool() -> AsyncGenerator[ParserPool, None]:
    made = ParserPool(Limits(seconds=20, memory_mib=600, processes=2))
    yield made
    await made.close()


@pytest.fixture
def running() -> Running:
    """The parsing processes that the test has started and that still run."""
    before = parsing_processes()
    return lambda: parsing_processes() - before


def lives(pid: int) -> bool:
    """Whether a process runs; one that waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


async def until_gone(pid: int) -> None:
    for _ in range(200):
        if not lives(pid):
            return
        await asyncio.sleep(0.05)
    pytest.fail(f"process {pid} still lives")


@pytest.mark.requirement("hostile-formats-parsed-in-limited-processes")
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.csv", "a.json"])
async def test_a_long_text_is_read_in_a_process_as_a_short_one_is_in_a_thread(
    pool: ParserPool, running: Running, name: str
) -> None:
    line = "Ä word, and [another](x.md) of it\n\n"
    short = await read_file(name, (line * 1_000).encode(), pool)
    assert not running()
    long = await read_file(name, (line * 3_000).encode(), pool)
    assert len(running()) == 1
    assert long.title == short.title == "a"
    assert long.body.startswith(short.body)
    assert long.blocks[:50] == short.blocks[:50] or name == "a.csv"
    assert long.links[:50] == short.links[:50]


@pytest.mark.requirement("hostile-formats-parsed-in-limited-processes")
async def test_only_the_text_that_exceeds_the_memory_limit_is_given_up() -> None:
    small = ParserPool(Limits(seconds=60, memory_mib=120, processes=1))
    with pytest.raises(SkippableSourceError, match="memory"):
        await read_file("a.md", b"# Part\n\n" * 1_000_000, small)
    assert (await read_file("b.md", b"# Part\n\n" * 10_000, small)).title == "Part"
    await small.close()


@pytest.mark.requirement("files-parsed-in-capped-processes")
async def test_a_file_comes_back_as_the_reader_made_it(pool: ParserPool) -> None:
    expected = extract_html(PAGE, fallback_title="x")
    assert await parse(pool, HTML, PAGE, fallback_title="x") == expected
    assert extracted_from_json(extracted_to_json(expected)) == expected


async def test_one_process_parses_file_after_file_and_two_run_side_by_side(pool: ParserPool, running: Running) -> None:
    await parse(pool, HTML, PAGE, fallback_title="x")
    (first,) = running()
    await parse(pool, HTML, PAGE, fallback_title="x")
    assert running() == {first}
    await asyncio.gather(*(parse(pool, HTML, PAGE, fallback_title="x") for _ in range(8)))
    assert len(running()) == 2


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
async def test_a_broken_file_is_refused_with_its_reason_and_the_process_continues(
    pool: ParserPool, running: Running
) -> None:
    with pytest.raises(SkippableSourceError, match="no text"):
        await parse(pool, HTML, b"", fallback_title="x")
    before = running()
    await parse(pool, HTML, PAGE, fallback_title="x")
    assert running() == before


async def test_a_failing_parser_is_named_and_no_content_is_revealed(pool: ParserPool) -> None:
    broken = Format("nothing", (".x",), "nowhere", "read")
    with pytest.raises(SkippableSourceError, match=r"KeyError in the parser of nothing files"):
        await parse(pool, broken, b"secret words", fallback_title="x")


@pytest.mark.requirement("files-parsed-in-capped-processes")
async def test_a_file_that_takes_too_long_is_given_up_and_its_process_killed(running: Running) -> None:
    pool = ParserPool(Limits(seconds=0.01, processes=1))
    try:
        with pytest.raises(SkippableSourceError, match=r"more than the 0\.01 seconds .*CITEMARK_PARSE_SECONDS"):
            await parse(pool, HTML, PAGE, fallback_title="x")
        assert not running()
    finally:
        await pool.close()


@pytest.mark.requirement("files-parsed-in-capped-processes")
async def test_a_file_that_wants_too_much_memory_is_given_up_and_the_next_one_is_read() -> None:
    pool = ParserPool(Limits(seconds=HANG_SECONDS, memory_mib=300, processes=1))
    try:
        with pytest.raises(SkippableSourceError, match="more than the 300 MiB"):
            await parse(pool, HTML, b"<p>x" * 4_000_000, fallback_title="x")
        assert (await parse(pool, HTML, PAGE, fallback_title="x")).title == "Setup guide"
    finally:
        await pool.close()


SLOW = b"<p>" + b"<b>x</b>" * 1_000_000
"""Some seconds of work, for its mere length."""


def ticks(pid: int) -> int:
    """Processor time that a process has used, in hundredths of seconds."""
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11])


def environment(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


async def started(running: Running) -> int:
    """The one parsing process, as soon as there is one."""
    for _ in range(10_000):
        for pid in running():
            return pid
        await asyncio.sleep(0)
    return pytest.fail("no parser was started")


async def busy(running: Running, but: int = 0) -> int:
    """The one parsing process, other than `but`, once it works on its file."""
    for _ in range(400):
        for pid in running() - {but}:
            if ticks(pid) > 40:
                return pid
        await asyncio.sleep(0.02)
    return pytest.fail("no parser is busy")


async def test_a_process_that_was_killed_while_idle_costs_nothing(pool: ParserPool, running: Running) -> None:
    await parse(pool, HTML, PAGE, fallback_title="x")
    (pid,) = running()
    os.kill(pid, signal.SIGKILL)
    await until_gone(pid)
    assert (await parse(pool, HTML, PAGE, fallback_title="x")).title == "Setup guide"


@pytest.mark.requirement("files-parsed-in-capped-processes")
async def test_a_file_that_kills_two_fresh_processes_is_given_up_and_the_next_one_is_read(
    pool: ParserPool, running: Running
) -> None:
    parsing = asyncio.create_task(parse(pool, HTML, SLOW, fallback_title="x"))
    first = await busy(running)
    os.kill(first, signal.SIGSEGV)
    os.kill(await busy(running, but=first), signal.SIGSEGV)
    with pytest.raises(SkippableSourceError, match=r"crashed its parser, or needs more .*CITEMARK_PARSE_MEMORY_MIB"):
        await parsing
    assert (await parse(pool, HTML, PAGE, fallback_title="x")).title == "Setup guide"


async def test_a_fresh_process_that_is_killed_by_another_hand_costs_its_file_nothing(
    pool: ParserPool, running: Running
) -> None:
    parsing = asyncio.create_task(parse(pool, HTML, PAGE, fallback_title="x"))
    os.kill(await started(running), signal.SIGKILL)
    assert (await parsing).title == "Setup guide"


async def test_a_file_in_a_used_process_that_dies_is_tried_in_a_fresh_one(pool: ParserPool, running: Running) -> None:
    await parse(pool, HTML, PAGE, fallback_title="x")
    (pid,) = running()
    os.kill(pid, signal.SIGSTOP)
    parsing = asyncio.create_task(parse(pool, HTML, PAGE, fallback_title="x"))
    await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    assert (await parsing).title == "Setup guide"
    assert running() != {pid}


async def test_parser_processes_ignore_signals_sent_to_the_whole_group(pool: ParserPool, running: Running) -> None:
    await parse(pool, HTML, PAGE, fallback_title="x")
    (pid,) = running()
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(pid, number)
    await parse(pool, HTML, PAGE, fallback_title="x")
    assert running() == {pid}


async def test_cancelling_a_parse_ends_the_process(pool: ParserPool, running: Running) -> None:
    parsing = asyncio.create_task(parse(pool, HTML, SLOW, fallback_title="x"))
    pid = await busy(running)
    parsing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await parsing
    await until_gone(pid)


async def test_an_idle_process_is_ended_after_a_while(running: Running) -> None:
    pool = ParserPool(Limits(), idle_seconds=0.05)
    await parse(pool, HTML, PAGE, fallback_title="x")
    for pid in running():
        await until_gone(pid)
    await pool.close()


async def test_a_parser_process_has_neither_the_passwords_nor_the_working_folder_of_its_parent(
    pool: ParserPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, running: Running
) -> None:
    (tmp_path / "selectolax.py").write_text("raise SystemExit('taken over')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEMARK_DATABASE_URL", "postgresql://me:secret@db/x")
    assert (await parse(pool, HTML, PAGE, fallback_title="x")).title == "Setup guide"
    (pid,) = running()
    assert b"secret" not in environment(pid)


@pytest.mark.parametrize(
    "change", [{"blocks": [["paragraph", 0, 99, ""]]}, {"blocks": 7}, {"body": None, "links": [1]}]
)
def test_output_that_no_parser_wrote_is_not_taken_for_a_document(change: dict[str, object]) -> None:
    given = {**extracted_to_json(extract_html(PAGE, fallback_title="x")), **change}
    with pytest.raises((ValueError, TypeError, KeyError)):
        extracted_from_json(given)


async def test_closing_ends_a_process_at_work_and_its_file_waits_for_another_time(
    pool: ParserPool, running: Running
) -> None:
    parsing = asyncio.create_task(parse(pool, HTML, SLOW, fallback_title="x"))
    pid = await busy(running)
    await pool.close()
    with pytest.raises(RetriableSourceError):
        await parsing
    await until_gone(pid)


async def test_closing_waits_for_the_end_of_a_process_that_was_just_retired(running: Running) -> None:
    pool = ParserPool(idle_seconds=0)
    await parse(pool, HTML, PAGE, fallback_title="x")
    (pid,) = running()
    await asyncio.sleep(0)  # the process is killed now
    await pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)  # a process that nobody has waited for would still be there


async def test_a_process_that_was_being_started_ends_when_the_parsers_are_closed(
    pool: ParserPool, running: Running
) -> None:
    parsing = asyncio.create_task(parse(pool, HTML, PAGE, fallback_title="x"))
    async with asyncio.timeout(HANG_SECONDS):
        while not running():  # noqa: ASYNC110 - nobody tells when a process is there
            await asyncio.sleep(0)
    await pool.close()
    assert parsing.done()
    with pytest.raises(RetriableSourceError):
        await parsing
    assert not running()


async def test_closing_ends_the_processes_and_later_files_are_for_another_time(
    pool: ParserPool, running: Running
) -> None:
    await parse(pool, HTML, PAGE, fallback_title="x")
    await pool.close()
    assert not running()
    with pytest.raises(RetriableSourceError):
        await parse(pool, HTML, PAGE, fallback_title="x")


PARENT = """
import asyncio, sys
from citemark.extraction.dispatch import parse, read_file
from citemark.extraction.formats import format_named
from citemark.extraction.sandbox.pool import ParserPool
async def main():
    pool = ParserPool()
    html = format_named("html")
    await parse(pool, html, b"<p>x", fallback_title="x")
    print(pool._idle[0][1].pid, flush=True)
    await parse(pool, html, b"<p>" + b"<b>x</b>" * 1_000_000, fallback_title="x")
asyncio.run(main())
"""


@pytest.mark.requirement("files-parsed-in-capped-processes")
async def test_a_parser_dies_with_a_parent_that_is_killed() -> None:
    """Also at work: the kernel kills it, nothing in it need notice."""
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", PARENT, stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(await asyncio.wait_for(parent.stdout.readline(), 60))
    parent.kill()
    await parent.communicate()
    await until_gone(pid)
