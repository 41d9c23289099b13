"""Text recognition of scanned pages and pictures: `make ocr` installs the extra `citemark[ocr]` and runs these."""

import difflib
import re
from collections.abc import AsyncGenerator, Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.support.extracted_checks import assert_consistent
from tests.support.pdfs import lines, pdf
from tests.support.scans import PAGES, picture, scanned_pdf
from tests.unit.tools.clients import connected, text_of

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.change_source_command import SourceChange, change_source
from citemark.cli.command_context import CommandContext
from citemark.extraction.dispatch import read_file
from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.text_recognition import TextRecognition
from citemark.model.errors import SkippableSourceError
from citemark.model.recognised import READ_BY_OCR, recognised_in
from citemark.settings import Settings

RUN = CommandContext(open_app, json=True, quiet=True)
_WORD = re.compile(r"[^\W_]+(?:[.,][^\W_]+)*")


@pytest.fixture(scope="module")
def scan() -> bytes:
    """The ten pages, which take seconds to make."""
    return scanned_pdf([page.text for page in PAGES])


@pytest.fixture(params=["rapidocr", "tesseract"])
def recognition(request: pytest.FixtureRequest) -> TextRecognition:
    """Each of the two that recognise text, with the languages of the pages."""
    made = TextRecognition(request.param, ("eng", "deu"))
    if not made.is_installed:
        pytest.skip(f"{made.missing} `make ocr` runs these tests")
    return made


@pytest.fixture
async def pool(recognition: TextRecognition) -> AsyncGenerator[ParserPool, None]:
    made = ParserPool(recognition=recognition)
    yield made
    await made.close()


@pytest.fixture
async def app(dsn: str, recognition: TextRecognition) -> AsyncGenerator[App, None]:
    settings = Settings(
        database_url=dsn,  # pyright: ignore[reportArgumentType]
        verify_cache=0,
        ocr_engine=recognition.engine,
        ocr_languages=recognition.languages,
    )
    async with open_app(settings) as opened:
        yield opened


def right(wanted: str, found: str) -> float:
    """The share of words that are found as they are, in their order."""
    words, read = _WORD.findall(wanted), _WORD.findall(found)
    blocks = difflib.SequenceMatcher(None, words, read, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(words)


def shown(capsys: pytest.CaptureFixture[str], figure: str) -> None:
    """Print a figure, whether or not the test passes."""
    with capsys.disabled():
        print(f"\n{figure}")  # noqa: T201 - what `make ocr` reports


async def asked(client: Client, tool: str, **arguments: Any) -> Mapping[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


@pytest.mark.slow
@pytest.mark.requirement("scans-are-read", "scans-by-tesseract")
async def test_words_of_ten_scanned_pages_are_read_within_the_limits_of_every_file(
    pool: ParserPool, scan: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SkippableSourceError, match="holds no text on its pages"):
        await read_file("scan.pdf", scan, pool)
    found = await read_file("scan.pdf", scan, pool, ocr=True)
    assert_consistent(found)
    assert [section.slug for section in found.sections] == [f"page-{number}" for number in range(1, 11)]
    assert all(re.search(r"^Page \d+ \(read by OCR, confidence \d\.\d\d\)$", each.title) for each in found.sections)
    assert [part.span for part in recognised_in(found.metadata)] == [section.span for section in found.sections]
    shares = [
        right(page.text, section.span.of(found.body)) for page, section in zip(PAGES, found.sections, strict=True)
    ]
    whole = right(" ".join(page.text for page in PAGES), found.body)
    shown(capsys, f"{pool.recognition.engine}: {whole:.3f} of the words right, {min(shares):.3f} on the worst page")
    assert whole >= 0.95, shares
    assert min(shares) >= 0.9, shares


@pytest.mark.requirement("scans-are-read")
async def test_questions_about_scanned_pages_are_answered_with_the_page_cited(
    app: App, tmp_path: Path, scan: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "scan.pdf").write_bytes(scan)
    await add_docs_source(RUN, app, DocsRequest(path=folder), sync=True)
    async with connected(app.services) as client:
        assert not (await asked(client, "kb_search", query="boiler"))["results"]
        change = SourceChange(ocr=True)
        assert await change_source(RUN, app, "archive", change, sync=True) == 0, "a file that was given up is read"
        answered: list[bool] = []
        for number, page in enumerate(PAGES, 1):
            found = await asked(client, "kb_retrieve_evidence", question=page.question)
            quotes = [each for each in found["quotes"] if page.answer.lower() in each["quote"].lower()]
            answered.append(any(each["citation"]["document_id"] == f"scan.pdf#page-{number}" for each in quotes))
        shown(capsys, f"{app.settings.ocr_engine}: {sum(answered)} of {len(PAGES)} questions answered, the page cited")
        assert sum(answered) >= 8, answered
        answer = await client.call_tool("kb_retrieve_evidence", {"question": PAGES[0].question})
        first = answer.structured_content
        assert re.search(r"archive: scan\.pdf#page-1 \(read by OCR, confidence 0\.\d\d\), line", text_of(answer))
        quote = first["quotes"][0]
        assert any("read by OCR in pictures, which may show other words: [1] (conf" in each for each in first["notes"])
        result = await client.call_tool(
            "kb_verify_quote", {"citation": quote["citation"], "quote": quote["quote"].strip()}
        )
    assert result.structured_content["holds"] == "changed"
    assert "OCR read these words in a picture, with a confidence of 0." in result.structured_content["difference"]
    assert text_of(result).startswith("changed: These are the words that OCR read in a picture")


@pytest.mark.requirement("scans-are-read")
@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "WEBP"])
async def test_a_picture_is_read_where_it_is_asked_for(pool: ParserPool, form: str) -> None:
    data = picture(PAGES[6].text, form)
    with pytest.raises(SkippableSourceError, match=r"The file is binary|encoding of the file cannot be told"):
        await read_file(f"rules.{form.lower()}", data, pool)
    found = await read_file(f"rules.{form.lower()}", data, pool, ocr=True)
    assert_consistent(found)
    assert right(PAGES[6].text, found.body) >= 0.95
    assert pool.recognition.reader in found.readers
    assert found.metadata[READ_BY_OCR]


@pytest.mark.requirement("scans-are-read")
async def test_pages_with_text_of_their_own_stay_as_they_are_among_scans(pool: ParserPool) -> None:
    typed = pdf(lines("Typed words on a page of their own."))
    found = await read_file("typed.pdf", typed, pool, ocr=True)
    assert (found.sections[0].title, READ_BY_OCR in found.metadata) == ("Page 1", False)
    assert found.body == (await read_file("typed.pdf", typed, pool)).body


@pytest.mark.requirement("scans-are-read")
async def test_what_is_attached_to_a_mail_is_read_and_marked_at_its_place(pool: ParserPool) -> None:
    made = EmailMessage()
    made["From"], made["Subject"] = "ada@example.org", "Scan"
    made.set_content("See the scan.\n")
    made.add_attachment(picture(PAGES[1].text, "PNG"), maintype="image", subtype="png", filename="minutes.png")
    made.add_attachment(picture("", "PNG"), maintype="image", subtype="png", filename="empty.png")
    found = await read_file("mail.eml", bytes(made), pool, ocr=True)
    assert_consistent(found)
    (part,) = recognised_in(found.metadata)
    assert right(PAGES[1].text, part.span.of(found.body)) >= 0.95
    assert "See the scan" not in part.span.of(found.body)
    assert "[The attachment 'empty.png' is not read: The picture shows no text" in found.body
    plain = await read_file("mail.eml", bytes(made), pool)
    assert "apple" not in plain.body
    assert READ_BY_OCR not in plain.metadata


@pytest.mark.requirement("scans-are-read")
async def test_what_is_no_picture_is_reported(pool: ParserPool) -> None:
    for broken in (b"", b"no picture at all", picture("Words", "PNG")[:300]):
        with pytest.raises(SkippableSourceError, match="The picture"):
            await read_file("broken.png", broken, pool, ocr=True)
