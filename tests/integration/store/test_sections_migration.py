"""Sections in an index of a version that took those of pages with one id for one another."""

import psycopg
from tests.support.postgres import fresh_database

from citemark.store.migrate import migrate, migrations

FILL = """
INSERT INTO source (tenant, name, kind, config) VALUES ('local', 'cloud', 'nextcloud', '{}');
INSERT INTO document (source_id, doc_type, native_id, valid_from) SELECT 1, t, n, now()
    FROM (VALUES ('note', '5'), ('file', '5'), ('file', '6')) v (t, n);
INSERT INTO document (source_id, page_id, doc_type, native_id, valid_from)
    VALUES (1, 1, 'section', '5#plan', now()), (1, 3, 'section', '6#plan', now());
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, text_version, valid_from)
    SELECT 1, document_id, '', '1', 't', 'b', 'english', 6, now() FROM document WHERE page_id IS NULL;
INSERT INTO chunk (source_id, page_id, document_id, revision_id, ordinal, start_char, end_char, start_line, end_line,
                   context, text, text_hash, embed_hash, length, lexemes, valid_from)
    SELECT 1, p, d, p, o, 0, 1, 1, 1, '', 'x', '', '', 2, '', now()
    FROM (VALUES (1, 0, 1), (1, 1, 4), (2, 0, 2), (2, 1, 4), (3, 0, 3), (3, 1, 5)) v (p, o, d);
INSERT INTO item (source_id, doc_type, native_id, wanted_version, indexed_version, text_version)
    SELECT 1, t, n, '1', '1', 6 FROM (VALUES ('note', '5'), ('file', '5'), ('file', '6')) v (t, n);
"""


def index_of(server_dsn: str, version: int, fill: str) -> str:
    """An index that a version left behind, with some rows, migrated to what it is today."""
    dsn = fresh_database(server_dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        for number, name, text in migrations():
            if number <= version:
                connection.execute(text.encode())
                connection.execute("INSERT INTO schema_version (version, name) VALUES (%s, %s)", (number, name))
        connection.execute(fill.encode())
    migrate(dsn)
    return dsn


def test_pages_with_text_in_sections_of_another_page_are_read_again(server_dsn: str) -> None:
    with psycopg.connect(index_of(server_dsn, 19, FILL)) as connection:
        items = connection.execute("SELECT doc_type, native_id, text_version FROM item ORDER BY 1, 2").fetchall()
        read = connection.execute("SELECT document_id, text_version FROM revision ORDER BY 1").fetchall()
    assert items == [("file", "5", 0), ("file", "6", 6), ("note", "5", 6)]
    assert read == [(1, 6), (2, 0), (3, 6)]


COMMITS = """
INSERT INTO source (tenant, name, kind, config) VALUES ('local', 'docs', 'docs', '{}');
INSERT INTO document (source_id, page_id, doc_type, native_id, valid_from, valid_to) VALUES
    (1, NULL, 'page', 'a.md', '0100-01-01 00:00:01+00', '0100-01-01 00:00:04+00'),
    (1, 1, 'section', 'a.md#a', '0100-01-01 00:00:01+00', '0100-01-01 00:00:02+00'),
    (1, NULL, 'page', 'a.md', '2026-01-01 00:00:00+00', 'infinity'),
    (1, 3, 'section', 'a.md#a', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00');
"""


def test_sections_of_commits_last_as_long_as_their_pages(server_dsn: str) -> None:
    with psycopg.connect(index_of(server_dsn, 21, COMMITS)) as connection:
        lives = "SELECT document_id, extract(second FROM valid_to - valid_from)::int FROM document"
        found = connection.execute(lives + " WHERE page_id IS NOT NULL ORDER BY 1").fetchall()
    assert found == [(2, 3), (4, 0)]
