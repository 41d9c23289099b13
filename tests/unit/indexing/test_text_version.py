"""Nobody changes how text is read or cut without raising the version that reads existing documents again."""

from collections.abc import Sequence

import pytest
from inline_snapshot import snapshot
from tests.support.read_samples import FILES, OTHERS

from citemark.embedding.minilm import MiniLM
from citemark.extraction.dispatch import READER_VERSIONS, read_file, readers_of_name
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.connector import READER_VERSIONS as MODEL_VERSIONS
from citemark.features.nextcloud.source.account import APP_VERSIONS
from citemark.indexing.page_builder import TEXT_VERSION, build_page, digest
from citemark.model.documents import Fetched
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.pages import Page
from citemark.model.readers import TextVersion, readers_text
from citemark.model.text import Block, BlockKind, Extracted, Section, Span
from citemark.sources.file_system import PAGE

VERSIONS = {**READER_VERSIONS, **APP_VERSIONS, **MODEL_VERSIONS}

READ = snapshot(
    {
        "markdown": {
            "markdown=2": [
                "The pump | pumps,safety | 93fc47f5",
                "# the-pump 141-281",
                "# the-pump/stopping 283-356",
                "front_matter 4-41 ae5d20fb",
                "paragraph 47-139 5c928eaa",
                "heading 141-151 fdbcf0b0",
                "list_item 153-186 0e3116d3",
                "list_item 187-229 25045585",
                "table 231-281 0cdc5d4b",
                "heading 283-294 2be42bb5",
                "quote 296-329 46184edc",
                "code 331-356 1296ae47",
                "-> manual.md#limits 108-138 the manual",
            ]
        },
        "plain": {
            "plain=2": [
                "log |  | c6a3c189",
                "paragraph 0-7 f3952e92",
                "paragraph 9-49 605f1c79",
                "paragraph 51-61 6d993ab6",
            ]
        },
        "code": {"code=2": ["pump |  | 733484e6", "code 0-35 abc83f14", "code 38-48 aa7f6cc0"]},
        "table": {"table=2": ["seals |  | 287de9dc", "paragraph 0-5 7b44e48e", "table 7-61 32b859de"]},
        "html": {
            "html=2": [
                "The pump |  | 4bd1274a",
                "# the-pump 0-149",
                "heading 0-10 fdbcf0b0",
                "paragraph 12-51 40aaabfe",
                "list_item 53-59 6a0fbfd9",
                "list_item 60-67 c2169eeb",
                "table 69-130 8c096b15",
                "code 132-149 e73163b1",
                "-> n.html 31-32 .",
            ]
        },
        "mail": {
            "html=2 icalendar=1 mail=2 table=2": [
                "The pump |  | 0f7a85dc",
                "# the-pump 100-274",
                "# parts.csv 276-308",
                "paragraph 0-98 8d1d7b19",
                "heading 100-110 fdbcf0b0",
                "paragraph 112-151 40aaabfe",
                "list_item 153-159 6a0fbfd9",
                "list_item 160-167 c2169eeb",
                "table 169-230 8c096b15",
                "code 232-249 e73163b1",
                "list_item 251-274 8400e12d",
                "heading 276-299 bd673cd2",
                "table 301-308 44f5c455",
                "-> n.html 131-132 .",
            ]
        },
        "mhtml": {
            "html=2 mhtml=2": [
                "The pump |  | 4bd1274a",
                "# the-pump 0-149",
                "heading 0-10 fdbcf0b0",
                "paragraph 12-51 40aaabfe",
                "list_item 53-59 6a0fbfd9",
                "list_item 60-67 c2169eeb",
                "table 69-130 8c096b15",
                "code 132-149 e73163b1",
                "-> n.html 31-32 .",
            ]
        },
        "pdf": {
            "pdf=2": [
                "pump |  | 680796db",
                "# page-1 0-30",
                "# page-2 32-40",
                "paragraph 0-30 e8e1d51e",
                "paragraph 32-40 4f2321d0",
            ]
        },
        "docx": {
            "docx=2": [
                "pump |  | 58600913",
                "# the-pump 0-95",
                "heading 0-10 fdbcf0b0",
                "paragraph 12-42 232d747a",
                "list_item 44-50 6a0fbfd9",
                "table 52-95 795fe2b4",
            ]
        },
        "xlsx": {"xlsx=2": ["pump |  | 6fa32db3", "# sheet 0-94", "paragraph 0-5 7b44e48e", "table 7-94 a82b5566"]},
        "pptx": {
            "pptx=2": [
                "pump |  | 74cd8220",
                "# slide-1 0-100",
                "heading 0-10 fdbcf0b0",
                "list_item 12-34 b2775bcd",
                "table 36-79 795fe2b4",
                "paragraph 81-100 4369b089",
            ]
        },
        "odt": {
            "odt=2": [
                "pump |  | d1d0f8e8",
                "# the-pump 0-77",
                "heading 0-10 fdbcf0b0",
                "paragraph 12-32 1b64ec7a",
                "table 34-77 795fe2b4",
            ]
        },
        "notebook": {
            "markdown=2 notebook=2": [
                "The pump |  | 0d12accf",
                "# the-pump 0-54",
                "heading 0-10 fdbcf0b0",
                "paragraph 12-33 987bc5a1",
                "code 35-54 97668db0",
            ]
        },
        "epub": {
            "epub=1 html=2": [
                "The shore |  | ca8783a5",
                "# the-coast 0-11",
                "# the-coast/h 13-49",
                "# the-coast/h/cranes 51-73",
                "# the-coast/c2 75-108",
                "# the-coast/c2/n1 110-125",
                "# c3 127-168",
                "heading 0-11 b32261d7",
                "heading 13-24 70a1f9b9",
                "paragraph 26-49 9b6d8df3",
                "heading 51-61 32c10395",
                "paragraph 63-73 cc1a5694",
                "paragraph 75-108 1a95dc9f",
                "heading 110-119 35c24cad",
                "paragraph 121-125 3f96b756",
                "paragraph 127-143 3fff6633",
                "paragraph 145-159 fe837bb1",
                "paragraph 161-168 4d00fed5",
                "-> #the-coast/h 93-101 harbours",
                "-> #the-coast/c2/n1 106-107 1",
            ]
        },
        "deck": {
            "deck=2": [
                "The pump | urgent | 1d942e6f",
                "# the-pump 0-143",
                "heading 0-10 fdbcf0b0",
                "list_item 12-26 2fe5bd5e",
                "list_item 27-41 da4153af",
                "list_item 42-58 81941410",
                "list_item 59-97 5110d880",
                "list_item 98-116 1852076f",
                "paragraph 118-143 e8cccfa2",
            ]
        },
        "contacts": {
            "contacts=2": [
                "Tomasz Wilk |  | 9fa61426",
                "# tomasz-wilk 0-120",
                "heading 0-13 30ffaa0d",
                "list_item 15-47 fa0873a6",
                "list_item 48-79 6fce9130",
                "list_item 80-104 4a4d9809",
                "paragraph 106-120 24d2c274",
            ]
        },
        "calendar": {
            "calendar=2": [
                "Pump check |  | 06eb3a91",
                "# pump-check 0-111",
                "heading 0-12 fda47de9",
                "list_item 14-78 5e9d7481",
                "list_item 79-94 c43f423d",
                "list_item 95-111 7363fc10",
            ]
        },
        "archimate": {
            "archimate=2": [
                "Pump |  | d8ae6518",
                "paragraph 0-57 7b6cb71f",
                "paragraph 58-77 177b23c8",
                "paragraph 78-105 5a05445b",
                "b |  | 237e8dfd",
                "paragraph 0-36 bb0f3d63",
                "paragraph 37-81 effe6d56",
            ]
        },
        "notes": {"notes=2": ["The pump |  | 558321ab", "list_item 0-6 6a0fbfd9"]},
        "icalendar": {
            "html=2 icalendar=1": [
                "pump |  | 2f72864e",
                "# pump-check 0-94",
                "heading 0-12 fda47de9",
                "list_item 14-78 5e9d7481",
                "list_item 79-94 c43f423d",
            ]
        },
        "org": {
            "org=1": [
                "The pump | pumps | e716e043",
                "# stopping 39-115",
                "front_matter 0-37 ad40cf59",
                "heading 39-49 3441bf11",
                "paragraph 50-108 44f91de5",
                "list_item 109-115 6a0fbfd9",
                "-> [[manual.org]] 76-107 the manual",
            ]
        },
        "canvas": {
            "canvas=1 markdown=2": [
                "pump |  | fa569a4c",
                "# the-pump 0-74",
                "heading 0-10 fdbcf0b0",
                "paragraph 11-32 987bc5a1",
                "paragraph 34-45 884b1b54",
                "list_item 47-74 5882a6de",
                "-> [[seal.md]] 34-45 seal.md",
            ]
        },
        "bibtex": {
            "bibtex=1": [
                "pumps |  | 45c956d4",
                "# mueller19 0-99",
                "paragraph 0-99 378d866a",
                "-> https://doi.org/10.1/a 0-99 Hans Müller (2019): On Pumps",
            ]
        },
        "csl": {"code=2 csl=1": ["pumps |  | 7c462aed", "# m19 1-88", "paragraph 1-87 674fcfc5"]},
        "excalidraw": {"excalidraw=1 markdown=2": ["pump |  | e79174c5", "paragraph 0-20 1b64ec7a"]},
    }
)
"""What each reader makes of its sample, by the versions of the readers that have a part in it."""


def told(texts: Sequence[Extracted]) -> list[str]:
    """A line for each text, section, block and link; the last word hashes all that is not shown."""
    found: list[str] = []
    for text in texts:
        rest = digest(text.body, str(text.metadata), str(text.language)).hex()[:8]
        found.append(f"{text.title} | {','.join(text.tags)} | {rest}")
        found += [f"# {each.slug} {each.span.start}-{each.span.end}" for each in text.sections]
        for block in text.blocks:
            words = digest(block.span.of(text.body), block.head).hex()[:8]
            found.append(f"{block.kind.value} {block.span.start}-{block.span.end} {words}")
        found += [f"-> {each.target} {each.span.start}-{each.span.end} {each.text}" for each in text.links]
    return found


async def read(name: str, parsers: ParserPool) -> tuple[Sequence[str], list[Extracted]]:
    """The readers that have a part in the sample of a reader, and its texts."""
    if name in OTHERS:
        return (name,), OTHERS[name]()
    path, data = FILES[name]
    extracted = await read_file(path, data, parsers)
    assert name in extracted.readers
    return extracted.readers, [extracted]


def test_every_reader_has_a_sample() -> None:
    # The app that lists files leaves all reading to the readers of files; formats of version 0 are not read at all.
    assert {*FILES, *OTHERS} == {name for name, version in VERSIONS.items() if version} - {"files"}


@pytest.mark.requirement("newer-reading-rebuilds-unchanged-pages", "a-version-for-each-reader")
@pytest.mark.parametrize("name", [*FILES, *OTHERS])
async def test_a_reader_makes_the_same_of_a_document_until_its_version_is_raised(
    name: str, parsers: ParserPool
) -> None:
    readers, texts = await read(name, parsers)
    versions = readers_text(TextVersion.of(0, readers, VERSIONS).readers)
    assert {versions: told(texts)} == READ[name], (
        f"The reader {name!r} reads in another way than in the indexes of the last release: raise its version by one "
        "(extraction/formats.py, extraction/dispatch.py, features/nextcloud/source/account.py or "
        "sources/archimate/connector.py), or that of the reader it uses, then take over this output."
    )


BODY = (
    "Read this first. `PumpControl.start_all()` needs v1.2.3.\n\n# The pump\n\n| Part | Limit |\n| ---- | ----- |\n"
    + "".join(f"| seal {n} | {n} °C |\n" for n in range(60))
    + "\n"
    + "".join(f"Step {n}: turn the wheel number {n} by a quarter and write down the pressure.\n" for n in range(40))
)


def extracted() -> Extracted:
    """A text whose blocks were not made by any reader."""
    head, table, steps = BODY.index("# The"), BODY.index("| Part"), BODY.index("Step 0")
    first_rows = BODY[table : BODY.index("| seal 0")]
    return Extracted(
        title="The pump",
        body=BODY,
        blocks=(
            Block(BlockKind.PARAGRAPH, Span(0, head - 2)),
            Block(BlockKind.HEADING, Span(head, table - 2)),
            Block(BlockKind.TABLE, Span(table, steps - 2), first_rows),
            Block(BlockKind.PARAGRAPH, Span(steps, len(BODY) - 1)),
        ),
        sections=(Section("the-pump", "The pump", ("The pump",), 1, Span(head, len(BODY)), None),),
        tags=("pumps",),
    )


def page_told(page: Page) -> list[str]:
    """A line for each chunk and relationship; the last word of a chunk hashes all that is not shown."""
    lines: list[str] = []
    for chunk in page.chunks:
        hidden = digest(chunk.context, chunk.text, chunk.lexical, str(chunk.lines)).hex()[:8]
        lines.append(f"{chunk.section or '-'} {chunk.span.start}-{chunk.span.end} {hidden}")
    lines += [f"{each.type} -> {each.to_native_id or each.to_url or each.to_entity}" for each in page.relationships]
    return lines


@pytest.mark.requirement("newer-reading-rebuilds-unchanged-pages", "tools-graph-deterministic")
def test_text_is_cut_as_the_text_version_says() -> None:
    fetched = Fetched(PAGE, NativeId("pump.md"), Version("1"), None, None, extracted())
    page = build_page(fetched, SourceId(1), MiniLM().tokenizer, language="english")
    assert {TEXT_VERSION: page_told(page)} == snapshot(
        {
            8: [
                "- 0-56 4a9621e5",
                "the-pump 58-703 145fef3c",
                "the-pump 704-1358 bb75ce2c",
                "the-pump 1359-2328 5f261b3e",
                "the-pump 2329-3316 9f5f985a",
                "the-pump 3317-4304 3d118791",
                "the-pump 104-121 088ce8b9",
                "the-pump 122-139 f6e61ae1",
                "the-pump 140-157 68745611",
                "the-pump 158-175 32c944a3",
                "the-pump 176-193 c82f4907",
                "the-pump 194-211 d7f2ea98",
                "the-pump 212-229 78d42dbe",
                "the-pump 230-247 8082a436",
                "the-pump 248-265 ddc62387",
                "the-pump 266-283 4f355bb8",
                "the-pump 284-303 b67669c2",
                "the-pump 304-323 30236903",
                "the-pump 324-343 d4f602be",
                "the-pump 344-363 5e9cbe54",
                "the-pump 364-383 6f1e3b4b",
                "the-pump 384-403 18170ca4",
                "the-pump 404-423 e11a8c2e",
                "the-pump 424-443 e82d47c1",
                "the-pump 444-463 e06edb6f",
                "the-pump 464-483 b44f9acc",
                "the-pump 484-503 d850616c",
                "the-pump 504-523 ed21ad85",
                "the-pump 524-543 136234b9",
                "the-pump 544-563 7bbc7a52",
                "the-pump 564-583 e9d8c8c5",
                "the-pump 584-603 bc85f5f7",
                "the-pump 604-623 77477365",
                "the-pump 624-643 f83fc900",
                "the-pump 644-663 1f8999e0",
                "the-pump 664-683 93940762",
                "the-pump 684-703 caf24ad5",
                "the-pump 704-723 5b1e1c7b",
                "the-pump 724-743 fb393017",
                "the-pump 744-763 9f1a86f0",
                "the-pump 764-783 c4efea54",
                "the-pump 784-803 dd8d36bd",
                "the-pump 804-823 a230da8e",
                "the-pump 824-843 4474404c",
                "the-pump 844-863 ee1c9c38",
                "the-pump 864-883 a80f13f0",
                "the-pump 884-903 70a17b8b",
                "the-pump 904-923 d412fa9b",
                "the-pump 924-943 c98c5388",
                "the-pump 944-963 b44fe7ec",
                "the-pump 964-983 d3721f51",
                "the-pump 984-1003 894795fa",
                "the-pump 1004-1023 4eecf6b4",
                "the-pump 1024-1043 dbd4c45f",
                "the-pump 1044-1063 5099b4f6",
                "the-pump 1064-1083 df194d7e",
                "the-pump 1084-1103 8a42d976",
                "the-pump 1104-1123 df553447",
                "the-pump 1124-1143 fdd384af",
                "the-pump 1144-1163 e2e5fa90",
                "the-pump 1164-1183 d44ea137",
                "the-pump 1184-1203 a8547aa1",
                "the-pump 1204-1223 48bee399",
                "the-pump 1224-1243 47ecc727",
                "the-pump 1244-1263 6377d8ba",
                "the-pump 1264-1283 0def0f9b",
                "named -> :term:the pump",
                "has_label -> :label:pumps",
                "uses_code -> :code:PumpControl.start_all()",
            ]
        }
    ), (
        "Text is cut or analysed in another way than in the indexes of the last release: raise TEXT_VERSION in "
        "src/citemark/indexing/page_builder.py by one, then take over this output."
    )


def test_a_file_is_expected_to_need_the_readers_that_its_name_calls_for() -> None:
    names = ("a.md", "b.PDF", "c.eml", "d.csv", "e.epub", "f.xls", "notes", "g.py", "h.ipynb")
    assert [" ".join(readers_of_name(name)) for name in names] == [
        "markdown",
        "pdf",
        "mail html icalendar",
        "table",
        "epub html",
        "old-office",
        "plain",
        "code",
        "notebook markdown",
    ]
