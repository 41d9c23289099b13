"""Nobody changes how text is read and cut without raising the version that rebuilds existing indexes."""

from pathlib import Path
from textwrap import dedent

import pytest
from inline_snapshot import snapshot

from citemark.embedding.minilm import MiniLM
from citemark.extraction.sandbox.pool import ParserPool
from citemark.indexing.page_builder import TEXT_VERSION, build_page, digest
from citemark.model.ids import NativeId, SourceId
from citemark.model.pages import Page
from citemark.sources.docs.connector import DocsProcessor
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.file_system import PAGE

MARKDOWN = dedent(
    """\
    ---
    title: The pump
    description: How to run it, and what to do when it stops.
    tags: [pumps, safety]
    ---

    Read this first. `PumpControl.start_all()` needs v1.2.3, see [the manual](manual.md#limits).

    # The pump

    ## Starting

    1. Open the valve.
    2. Press **Start**; wait for `ERR-1042` to go out.

       A second paragraph of the item.

    | Part | Limit |
    | ---- | ----- |
    | seal | 80 °C |

    ## Stopping

    ### In an emergency

    > Never by the breaker.

    ```sh
    pump stop --now  # 5 s
    ```

    ### In an emergency

    <Note>Ring the bell.</Note>

    """
) + "".join(f"Step {n}: turn the wheel number {n} by a quarter and write down the pressure.\n" for n in range(40))
TABLE = "part;limit\n" + "".join(f"seal {n};{n} °C\n" for n in range(80))
PLAIN = "THE LOG\n\nMonday: nothing.\nTuesday: max_connections raised to 200, e.g. for the nightly run.\n\n  - a note\n"


async def read(folder: Path, name: str, text: str) -> list[str]:
    (folder / name).write_bytes(text.encode())
    fetched = await DocsProcessor(DocsSettings(folder), ParserPool()).fetch(PAGE, NativeId(name))
    assert fetched is not None
    return told(build_page(fetched, SourceId(1), MiniLM().tokenizer, language="english"))


def told(page: Page) -> list[str]:
    """A line for the page, each section and each chunk; the last word hashes all that is not shown."""
    lines = [f"{page.title} | {','.join(page.tags)} | {digest(page.body, str(page.metadata)).hex()[:8]}"]
    lines += [f"# {entry.section.slug} {entry.section.span.start}-{entry.section.span.end}" for entry in page.sections]
    for chunk in page.chunks:
        hidden = digest(chunk.context, chunk.text, chunk.lexical, str(chunk.lines)).hex()[:8]
        lines.append(f"{chunk.section or '-'} {chunk.span.start}-{chunk.span.end} {hidden}")
    lines += [
        f"{entry.type} -> {entry.to_native_id or entry.to_url or entry.to_entity}" for entry in page.relationships
    ]
    return lines


@pytest.mark.requirement("i2-6-text-version", "tools-graph-deterministic")
async def test_text_is_read_and_cut_as_the_text_version_says(tmp_path: Path) -> None:
    texts = {"pump.md": MARKDOWN, "log.txt": PLAIN, "seals.csv": TABLE}
    pages = {name: await read(tmp_path, name, text) for name, text in texts.items()}
    assert {TEXT_VERSION: pages} == snapshot(
        {
            7: {
                "pump.md": [
                    "The pump | pumps,safety | 01237fec",
                    "# the-pump 199-209",
                    "# the-pump/starting 211-381",
                    "# the-pump/stopping 383-394",
                    "# the-pump/stopping/in-an-emergency 396-474",
                    "# the-pump/stopping/in-an-emergency~2 476-3545",
                    "- 33-77 e001af63",
                    "- 105-197 d7ca096e",
                    "the-pump/starting 211-381 eee895e9",
                    "the-pump/stopping/in-an-emergency 396-474 6c000153",
                    "the-pump/stopping/in-an-emergency~2 476-1191 f635d2e1",
                    "the-pump/stopping/in-an-emergency~2 1192-1949 ea04cb89",
                    "the-pump/stopping/in-an-emergency~2 1950-2709 be66efe3",
                    "the-pump/stopping/in-an-emergency~2 2710-3545 50ac57dc",
                    "links_to -> manual.md#limits",
                    "named -> :term:the pump",
                    "has_label -> :label:pumps",
                    "has_label -> :label:safety",
                    "defines -> :term:starting",
                    "defines -> :term:stopping",
                    "defines -> :term:in an emergency",
                    "defines -> :term:in an emergency",
                    "uses_code -> :code:PumpControl.start_all()",
                    "uses_code -> :code:ERR-1042",
                ],
                "log.txt": ["log |  | 748c8426", "- 0-103 64cd4adc", "named -> :term:log"],
                "seals.csv": [
                    "seals |  | d69d1501",
                    "- 0-550 b8811730",
                    "- 551-1110 461a6dfe",
                    "- 11-22 885a7555",
                    "- 23-34 67e2dead",
                    "- 35-46 a36adadd",
                    "- 47-58 7989994c",
                    "- 59-70 3e2e21e0",
                    "- 71-82 6a51e0b8",
                    "- 83-94 3a2c5496",
                    "- 95-106 b84e2bd1",
                    "- 107-118 8aaf4ed4",
                    "- 119-130 141f64d6",
                    "- 131-144 f7acdb14",
                    "- 145-158 781aac7e",
                    "- 159-172 81f13354",
                    "- 173-186 80144806",
                    "- 187-200 8f6c2bc8",
                    "- 201-214 d6c7e215",
                    "- 215-228 02c39d57",
                    "- 229-242 27b5dbb3",
                    "- 243-256 0eb33fc2",
                    "- 257-270 7f22128b",
                    "- 271-284 8f171979",
                    "- 285-298 5af7e12e",
                    "- 299-312 44b0bed5",
                    "- 313-326 8fbb620b",
                    "- 327-340 35ebff1f",
                    "- 341-354 12bbe1d3",
                    "- 355-368 ca0ae4c4",
                    "- 369-382 33f20af3",
                    "- 383-396 31d0d88c",
                    "- 397-410 0befa848",
                    "- 411-424 d824034c",
                    "- 425-438 960511e6",
                    "- 439-452 bcf48a3b",
                    "- 453-466 610f1934",
                    "- 467-480 7d9a0d89",
                    "- 481-494 9d0a1ce9",
                    "- 495-508 4985da65",
                    "- 509-522 27733c15",
                    "- 523-536 c7cb7766",
                    "- 537-550 2f14d6fd",
                    "- 551-564 dd2c95c8",
                    "- 565-578 a09f779a",
                    "- 579-592 9736f002",
                    "- 593-606 cb5f8529",
                    "- 607-620 342885ca",
                    "- 621-634 8a33280f",
                    "- 635-648 df6c9cba",
                    "- 649-662 de599013",
                    "- 663-676 2cf66251",
                    "- 677-690 1c480d47",
                    "- 691-704 337563b0",
                    "- 705-718 bdbe39da",
                    "- 719-732 9948e707",
                    "- 733-746 6b012d3e",
                    "- 747-760 4c6de347",
                    "- 761-774 56935569",
                    "- 775-788 aec33e23",
                    "- 789-802 6542bf9b",
                    "- 803-816 36ec5285",
                    "- 817-830 5ae1a83d",
                    "- 831-844 168e3b3a",
                    "- 845-858 e5e3a1c4",
                    "- 859-872 c3f3a386",
                    "- 873-886 a7e8916a",
                    "- 887-900 57c0cf42",
                    "- 901-914 05ba6d69",
                    "- 915-928 ce134150",
                    "- 929-942 8ef5189e",
                    "- 943-956 1fc506ee",
                    "- 957-970 ef66e769",
                    "- 971-984 79b4b3c2",
                    "- 985-998 e5d3429b",
                    "- 999-1012 fd9f2fad",
                    "- 1013-1026 a2ec8f62",
                    "- 1027-1040 c1b2afdc",
                    "- 1041-1054 7cf98996",
                    "- 1055-1068 53fde57b",
                    "- 1069-1082 776f3918",
                    "- 1083-1096 6d40f070",
                    "- 1097-1110 cff6b664",
                    "named -> :term:seals",
                ],
            }
        }
    ), (
        "Text is read or cut in another way than in the indexes of the last release: raise TEXT_VERSION in "
        "src/citemark/indexing/page_builder.py by one, then take over this output."
    )
