"""An index of a version that kept the words of a chunk twice gives the bytes of the second copy back."""

import psycopg
import pytest
from tests.integration.store.test_sections_migration import index_of

FILL = """
INSERT INTO source (tenant, name, kind, config) VALUES ('local', 'a', 'docs', '{}');
INSERT INTO document (source_id, doc_type, native_id, valid_from) VALUES (1, 'page', 'a.md', now());
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from)
    VALUES (1, 1, '', '1', 't', 'b', 'english', now());
INSERT INTO chunk (source_id, page_id, document_id, revision_id, ordinal, start_char, end_char, start_line, end_line,
                   context, text, text_hash, embed_hash, length, lexemes, valid_from)
    SELECT 1, 1, 1, 1, n, 0, 1, 1, 1, 'c', 'text ' || n, '', '', 2,
           (SELECT to_tsvector('simple', string_agg(md5(n || '.' || w), ' ')) FROM generate_series(1, 80) w), now()
    FROM generate_series(1, 300) n;
"""

OLD_SERVER = """
INSERT INTO chunk (source_id, page_id, document_id, revision_id, ordinal, start_char, end_char, start_line, end_line,
                   context, text, text_hash, embed_hash, length, lexemes, valid_from)
VALUES (1, 1, 1, 1, 301, 0, 1, 1, 1, 'c', 'text 301', '', '', 2, to_tsvector('simple', 'text'), now())
"""


@pytest.mark.requirement("words-are-kept-once")
def test_chunks_of_an_earlier_index_lose_the_second_copy_of_their_words_which_its_servers_go_on_writing(
    server_dsn: str,
) -> None:
    with psycopg.connect(index_of(server_dsn, 32, FILL)) as connection:
        texts = connection.execute("SELECT ordinal, text FROM chunk ORDER BY 1").fetchall()
        size, with_words = connection.execute(
            "SELECT pg_table_size('chunk'), count(*) FILTER (WHERE lexemes <> '') FROM chunk"
        ).fetchone() or (0, 0)
        connection.execute(OLD_SERVER)
    assert texts == [(number, f"text {number}") for number in range(1, 301)]
    assert with_words == 0
    assert size < 300 * 500, "80 words of 32 letters took 3 KB"
