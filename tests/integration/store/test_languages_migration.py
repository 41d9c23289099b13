"""An index of the version that had one language per source becomes one that has a language per document."""

import struct

import psycopg
import pytest
from tests.support.postgres import fresh_database

from citemark.store.migrate import migrate, migrations

BEFORE = 4
FILL = """
INSERT INTO source (tenant, name, kind, config, language) VALUES
    ('local', 'a', 'docs', '{}', 'english'), ('local', 'b', 'docs', '{}', 'german');
INSERT INTO document (source_id, doc_type, native_id, valid_from)
    SELECT source_id, 'page', 'a.md', now() FROM source;
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from)
    SELECT s.source_id, d.document_id, '', '1', 't', 'b', s.language, now()
    FROM document d JOIN source s USING (source_id);
INSERT INTO chunk (source_id, page_id, document_id, revision_id, ordinal, start_char, end_char, start_line, end_line,
                   context, text, text_hash, embed_hash, length, lexemes, valid_from)
    SELECT source_id, document_id, document_id, revision_id, 0, 0, 1, 1, 1, '', 'x', '', '', 2,
           to_tsvector(language::regconfig, 'alte Häuser'), now() FROM revision;
INSERT INTO posting (source_id, term_id, chunk_id, tf, length)
    SELECT source_id, hashtextextended(l.lexeme COLLATE "C", source_id), chunk_id, 1, length
    FROM chunk, unnest(lexemes) l;
INSERT INTO term_stat (source_id, term_id, df) SELECT source_id, term_id, 1 FROM posting WHERE source_id = 1;
INSERT INTO term_delta (source_id, term_id, df) SELECT source_id, term_id, 1 FROM posting WHERE source_id = 2;
INSERT INTO source_stat (source_id, chunks, sum_length) VALUES (1, 1, 2), (2, 0, 0);
INSERT INTO term_delta (source_id, term_id, df, length) VALUES (2, 0, 1, 2);
INSERT INTO item (source_id, doc_type, native_id, wanted_version, indexed_version) VALUES
    (1, 'page', 'a.md', '1', '1'), (1, 'page', 'gone.md', NULL, '1'), (1, 'page', 'new.md', '1', NULL),
    (2, 'page', 'a.md', '1', '1');
"""


@pytest.mark.requirement("full-text-follows-document-language", "language-told-from-words-offline")
def test_words_are_found_as_before_and_texts_of_detecting_sources_are_read_once_more(server_dsn: str) -> None:
    dsn = fresh_database(server_dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        for number, name, text in migrations():
            if number < BEFORE:
                connection.execute(text.encode())
                connection.execute("INSERT INTO schema_version (version, name) VALUES (%s, %s)", (number, name))
        connection.execute(FILL.encode())
    migrate(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:

        def rows(statement: str) -> list[tuple[object, ...]]:
            return connection.execute(statement.encode()).fetchall()

        assert rows("SELECT source_id, detects_language FROM source ORDER BY 1") == [(1, True), (2, False)]
        assert rows("SELECT source_id, language, configuration FROM chunk ORDER BY 1") == [
            (1, "english", "english"),
            (2, "german", "german"),
        ]
        expected = (
            'SELECT source_id, hashtextextended(l.lexeme COLLATE "C", term_seed(source_id, configuration))'
            " FROM chunk, unnest(to_tsvector(configuration::regconfig, 'alte Häuser')) l ORDER BY 1, 2"
        )
        lists = connection.execute("SELECT source_id, term_id, postings FROM posting_list ORDER BY 1, 2").fetchall()
        assert [(source_id, term_id) for source_id, term_id, _ in lists] == rows(expected)
        chunks = dict(connection.execute("SELECT source_id, chunk_id FROM chunk").fetchall())
        assert [struct.unpack(">qhh", packed) for *_, packed in lists] == [(chunks[s], 1, 2) for s, *_ in lists]
        own = connection.execute("SELECT source_id, length, terms FROM chunk_terms ORDER BY 1").fetchall()
        assert sorted(
            (source_id, *term) for source_id, _, packed in own for term in struct.iter_unpack(">qh", packed)
        ) == [(source_id, term_id, 1) for source_id, term_id, _ in lists]
        assert [length for _, length, _ in own] == [2, 2]
        assert rows("SELECT source_id, chunks, chunk_ids FROM segment ORDER BY 1") == [
            (source_id, 1, [chunk_id]) for source_id, chunk_id in sorted(chunks.items())
        ]
        connection.execute("INSERT INTO segment (source_id, chunks, chunk_ids) VALUES (1, 0, '{}')")
        assert rows("SELECT count(DISTINCT segment_id) FROM segment") == [(3,)]
        assert rows("SELECT source_id, term_id FROM term_stat WHERE df = 1 ORDER BY 1, 2") == rows(expected)
        assert rows("SELECT * FROM lexicon_stat ORDER BY 1") == [(1, "english", 1, 2), (2, "german", 1, 2)]
        assert rows("SELECT native_id, indexed_version FROM item ORDER BY source_id, native_id") == [
            ("a.md", ""),
            ("gone.md", "1"),
            ("new.md", None),
            ("a.md", "1"),
        ]
