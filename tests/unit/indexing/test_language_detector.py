"""Which language a document is taken to be in."""

import pytest
from tests.support.multilingual_corpus import MULTILINGUAL_CORPUS, LanguageCorpus

from citemark.extraction.markdown.document import extract_markdown
from citemark.indexing.language_detector import LanguageDetector
from citemark.model.ids import SourceId
from citemark.model.sources import Source

GERMAN = "Die alten Häuser am Fluss wurden im letzten Sommer gestrichen."


@pytest.fixture(scope="module")
def detector() -> LanguageDetector:
    return LanguageDetector()


def language_of(detector: LanguageDetector, body: str, language: str = "english", *, detects: bool = True) -> str:
    source = Source(SourceId(1), "local", "docs", "docs", language=language, detects_language=detects)
    return detector.language_of(extract_markdown(body, fallback_title="page"), source)


@pytest.mark.requirement("language-told-from-words-offline")
@pytest.mark.parametrize("corpus", MULTILINGUAL_CORPUS, ids=lambda corpus: corpus.language)
def test_a_page_of_one_sentence_is_known_by_its_words(detector: LanguageDetector, corpus: LanguageCorpus) -> None:
    assert {language_of(detector, text) for text in corpus.pages.values()} == {corpus.language}


@pytest.mark.requirement("short-texts-take-source-language")
@pytest.mark.parametrize(
    "body",
    [
        "",
        "# Wartung",
        "12.4 / 17.9",
        "Die Pumpe läuft nicht",
        "Öffnungszeiten und Anfahrt",
        "# Setup\n\n```\nder Code mit dem Pfad und die Datei ist nicht zu lesen\n```\n",
        "`max_connections` `shared_buffers` `work_mem` OrderService::create src/main.py https://example.org/der/die/das",
    ],
)
@pytest.mark.parametrize("fallback", ["english", "polish"])
def test_short_texts_and_code_are_in_the_language_of_their_source(
    detector: LanguageDetector, body: str, fallback: str
) -> None:
    assert language_of(detector, body, fallback) == fallback


@pytest.mark.requirement("language-told-from-words-offline")
def test_the_prose_around_code_decides(detector: LanguageDetector) -> None:
    code = "```python\nfor name in names:\n    print(name.upper(), file=sys.stderr)\n```\n\n" * 30
    assert language_of(detector, f"# Haus\n\n{code}{GERMAN}\n\n{code}") == "german"
    assert (
        language_of(detector, f"在 PostgreSQL 中设置 max_connections 参数然后重新启动 server。\n\n{code}") == "chinese"
    )


@pytest.mark.requirement("language-told-from-words-offline")
@pytest.mark.parametrize("fallback", ["english", "german"])
def test_english_prose_full_of_german_names_is_english(detector: LanguageDetector, fallback: str) -> None:
    body = (
        "Käthe Müller is the head of the Gesellschaft für Wasserwirtschaft und Abfall in Köthen, Jürgen Großmann and "
        "Sabine Krüger of the Amt für Statistik are with her in Magdeburg."
    )
    assert language_of(detector, body, fallback) == "english"


@pytest.mark.requirement("declared-language-goes-first", "source-can-name-its-language")
@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("lang: fr", "french"),
        ("language: pt-BR", "portuguese"),
        ("lang: zh_Hans", "chinese"),
        ("language: Dutch", "dutch"),
        ("lang: deu", "german"),
        ("language: python", "german"),
        ("lang: ''", "german"),
    ],
)
def test_the_declared_language_of_a_page_takes_precedence_over_its_words(
    detector: LanguageDetector, said: str, language: str
) -> None:
    assert language_of(detector, f"---\n{said}\n---\n{GERMAN}") == language
    assert language_of(detector, f"---\n{said}\n---\n{GERMAN}", "german", detects=False) == language


@pytest.mark.requirement("source-can-name-its-language")
def test_a_source_with_one_language_is_not_asked_for_others(detector: LanguageDetector) -> None:
    assert language_of(detector, GERMAN, "english", detects=False) == "english"
