"""Exact identifiers are always findable, whatever stands around them."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integration.retrieval.world import World

KNOWN = [
    "OrderService", "max_connections", "ERR-1042", "io.modelcontextprotocol.server.name", "-32020", "fileSha256", "C++",
    "std::vector", "src/main.py", "@decorator", "v1.2.3-rc.1", "HTTPServer2", "--dry-run", "user@example.org",
    "snake_CASE_Mixed", "x86_64", "0xDEADBEEF", "CVE-2024-3094", "a.b", "#anchor", "Größe_max", "api.v2.Users/list",
]  # fmt: skip
AROUND = ["Call `{}` first.", "({})", "{}: explained", "We use {}.", "**{}** is set", '"{}"', "see {}, or not", "{}"]

letters = st.text(string.ascii_letters, min_size=1, max_size=8)
pieces = letters | st.from_regex(r"[a-z]{1,5}[0-9]{1,4}", fullmatch=True) | st.from_regex(r"[0-9]{2,5}", fullmatch=True)
camel = st.lists(st.from_regex(r"[A-Z][a-z]{1,6}", fullmatch=True), min_size=2, max_size=4).map("".join)


@st.composite
def joined(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["_", "-", ".", "::", "/"])).join(draw(st.lists(pieces, min_size=2, max_size=4)))


@pytest.mark.requirement("exact-identifiers-always-findable")
@pytest.mark.parametrize("around", AROUND)
async def test_a_known_identifier_is_found_by_its_words(world: World, around: str) -> None:
    source = await world.source("docs", {}, embedded=False)
    texts = {f"{n}.md": around.format(identifier) for n, identifier in enumerate(KNOWN)}
    await world.write(source, texts, embedded=False)
    await world.write(source, {"filler.md": "Nothing of that kind stands here."}, embedded=False)
    rows = await world.index.rows(
        "SELECT d.native_id, c.chunk_id FROM chunk c JOIN document d ON d.document_id = c.page_id"
    )
    ids = {row[0]: row[1] for row in rows}
    lost = [
        identifier
        for n, identifier in enumerate(KNOWN)
        if ids[f"{n}.md"] not in (await world.by_words(identifier)).chunk_ids
    ]
    assert lost == []


@pytest.mark.requirement("exact-identifiers-always-findable")
@settings(max_examples=40)
@given(identifier=camel | joined(), around=st.sampled_from(AROUND))
async def test_any_identifier_is_found_by_its_words(world: World, identifier: str, around: str) -> None:
    names = {source.name for source in await world.index.stores.sources.all("local")}
    source = await world.source(f"s{len(names)}", {"a.md": around.format(identifier)}, embedded=False)
    chunks = await world.index.rows("SELECT chunk_id FROM chunk WHERE source_id = %s", source.source_id)
    hits = await world.by_words(identifier)
    assert {row[0] for row in chunks} & set(hits.chunk_ids), "the chunk is not among the candidates"


IN_OTHER_LANGUAGES = {
    "german": "Die Einstellung {} wird beim Start gelesen.",
    "french": "Le paramètre {} est lu au démarrage.",
    "spanish": "El parámetro {} se lee al arrancar.",
    "italian": "Il parametro {} viene letto all'avvio.",
    "portuguese": "O parâmetro {} é lido no arranque.",
    "dutch": "De instelling {} wordt bij het starten gelezen.",
    "russian": "Параметр {} читается при запуске.",
    "polish": "Ustawienie {} jest czytane przy starcie.",
    "chinese": "启动时会读取设置{}的值。",
    "japanese": "設定{}は起動時に読み込まれる。",
    "korean": "설정 {}은 시작할 때 읽힌다.",
    "thai": "ค่า{}จะถูกอ่านตอนเริ่มต้น",
}


@pytest.mark.requirement("exact-identifiers-always-findable", "question-read-in-every-fence-language")
@pytest.mark.parametrize("language", IN_OTHER_LANGUAGES)
async def test_a_known_identifier_is_found_in_every_language_beside_english_pages(world: World, language: str) -> None:
    around = IN_OTHER_LANGUAGES[language]
    source = await world.source("docs", {"filler.md": "Nothing of that kind stands here."}, embedded=False)
    texts = {f"{n}.md": around.format(identifier) for n, identifier in enumerate(KNOWN)}
    await world.write(source, texts, embedded=False, language=language)
    rows = await world.index.rows(
        "SELECT d.native_id, c.chunk_id FROM chunk c JOIN document d ON d.document_id = c.page_id"
    )
    ids = {row[0]: row[1] for row in rows}
    # A mark at the edge of an identifier may join what stands next to it without a blank.
    lost = [
        identifier
        for n, identifier in enumerate(KNOWN)
        if ids[f"{n}.md"] not in (await world.by_words(identifier)).chunk_ids
    ]
    assert lost == []


@pytest.mark.requirement("exact-identifiers-always-findable", "question-read-in-every-fence-language")
@settings(max_examples=40)
@given(identifier=camel | joined(), language=st.sampled_from(sorted(IN_OTHER_LANGUAGES)))
async def test_any_identifier_is_found_in_any_language(world: World, identifier: str, language: str) -> None:
    names = {source.name for source in await world.index.stores.sources.all("local")}
    source = await world.source(f"s{len(names)}", {"en.md": "Nothing of that kind."}, embedded=False)
    await world.write(
        source, {"a.md": IN_OTHER_LANGUAGES[language].format(identifier)}, embedded=False, language=language
    )
    (chunk,) = await world.index.rows(
        "SELECT c.chunk_id FROM chunk c JOIN document d ON d.document_id = c.page_id AND d.source_id = c.source_id"
        " WHERE d.native_id = 'a.md' AND c.source_id = %s",
        source.source_id,
    )
    assert chunk[0] in (await world.by_words(identifier)).chunk_ids, "the chunk is not among the candidates"


@pytest.mark.requirement("identifiers-found-by-their-parts")
@pytest.mark.parametrize("part", ["order", "service", "connections", "sha256", "modelcontextprotocol", "1042"])
async def test_an_identifier_is_found_by_its_parts(world: World, part: str) -> None:
    text = "OrderService max_connections file_sha256 io.modelcontextprotocol.server.name ERR-1042"
    await world.source("docs", {"a.md": text, "b.md": "other words"}, embedded=False)
    assert len(await world.by_words(part)) == 1


@pytest.mark.requirement("strange-word-does-not-hide-others")
async def test_one_unknown_word_hides_no_result(world: World) -> None:
    await world.source("docs", {"a.md": "The pool has max_connections of them."}, embedded=False)
    assert len(await world.by_words("max_connections qwertzuiop")) == 1
