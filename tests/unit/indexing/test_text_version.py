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
    lines += [f"-> {entry.to_native_id or entry.to_url}" for entry in page.relationships]
    return lines


@pytest.mark.requirement("i2-6-text-version")
async def test_text_is_read_and_cut_as_the_text_version_says(tmp_path: Path) -> None:
    texts = {"pump.md": MARKDOWN, "log.txt": PLAIN, "seals.csv": TABLE}
    pages = {name: await read(tmp_path, name, text) for name, text in texts.items()}
    assert {TEXT_VERSION: pages} == snapshot(
        {
            4: {
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
                    "-> manual.md#limits",
                ],
                "log.txt": ["log |  | 748c8426", "- 0-103 64cd4adc"],
                "seals.csv": ["seals |  | d69d1501", "- 0-550 b8811730", "- 551-1110 4ad5c097"],
            }
        }
    ), (
        "Text is read or cut in another way than in the indexes of the last release: raise TEXT_VERSION in "
        "src/citemark/indexing/page_builder.py by one, then take over this output."
    )
