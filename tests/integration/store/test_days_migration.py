"""Days and labels of an index of a version that looked for them in the metadata with each question."""

import json
from collections.abc import Mapping

import psycopg
import pytest
from tests.integration.store.test_sections_migration import index_of

WEEKLY = "BEGIN:VEVENT\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT"
BERLIN = "+01:00[Europe/Berlin]"
METADATA: tuple[tuple[Mapping[str, str], str], ...] = (
    ({"Path": "/a.md", "Owner": "bob"}, "{}"),
    ({"Start": f"2026-12-01T23:00{BERLIN}", "End": f"2026-12-02T00:30{BERLIN}"}, "{[2026-12-01,2026-12-02]}"),
    ({"Start": "2026-12-10", "End": "2026-12-12"}, "{[2026-12-10,2026-12-11]}"),
    ({"Start": "2026-12-10", "End": "2026-12-10"}, "{[2026-12-10,2026-12-10]}"),
    ({"Due": "2026-12-24T12:00:00Z", "State": "done"}, "{[2026-12-24,2026-12-24]}"),
    ({"Start": "2026-12-20", "Due": "2026-12-18"}, "{[2026-12-18,2026-12-20]}"),
    ({"Start": "2026-01-05", "Recurrence": "FREQ=WEEKLY", "Series": WEEKLY}, "{[2026-01-05,)}"),
    ({"Start": "2026-01-05", "Recurrence": "FREQ=WEEKLY;UNTIL=20260301T100000Z"}, "{[2026-01-05,2026-03-02]}"),
    (
        {"Start": "2026-01-05", "End": "2026-01-08", "Recurrence": "UNTIL=20260301", "Series": WEEKLY},
        "{[2026-01-05,)}",
    ),
    ({"Start": "2026-01-05", "Recurrence": "FREQ=WEEKLY", "Series": f"{WEEKLY}\r\nRDATE:2020"}, "{(,)}"),
    ({"Due": "soon"}, "{}"),
    ({"Due": "2026-00-99"}, "{}"),
    ({"Due": "0000-01-01"}, "{}"),
    ({"Due": "2026-02"}, "{[2026-02-01,2026-02-28]}"),
    ({"Labels": "red\nbe\u0301ta", "Tags": "legal", "category": "Work"}, "{}"),
)


FILL = """
INSERT INTO source (tenant, name, kind, config) VALUES ('local', 'a', 'nextcloud', '{}');
INSERT INTO document (source_id, doc_type, native_id, valid_from)
    SELECT 1, 'note', n, now() FROM jsonb_array_elements($$METADATA$$) WITH ORDINALITY AS m (metadata, n);
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, tags, metadata, valid_from)
    SELECT 1, n, '', '1', 't', 'b', 'english', '{red}', m.metadata, now()
    FROM jsonb_array_elements($$METADATA$$) WITH ORDINALITY AS m (metadata, n);
"""


@pytest.mark.requirement("days-and-labels-are-columns")
def test_days_and_labels_of_an_earlier_index_are_filled_from_its_metadata(server_dsn: str) -> None:
    fill = FILL.replace("METADATA", json.dumps([metadata for metadata, _ in METADATA]))
    with psycopg.connect(index_of(server_dsn, 29, fill)) as connection:
        found = connection.execute(
            "SELECT days::text, dates, labels, metadata FROM revision ORDER BY document_id"
        ).fetchall()
        expected = connection.execute(
            "SELECT d::datemultirange::text FROM unnest(%s::text[]) WITH ORDINALITY e (d, n) ORDER BY n",
            ([days for _, days in METADATA],),
        ).fetchall()
    assert [row[:1] for row in found] == expected
    assert found[0][1:3] == (None, ["red"])
    assert found[4][1] == {"begin": "", "end": "", "due": "2026-12-24T12:00:00Z", "series": "", "open": False}
    assert (found[6][1]["series"], found[6][1]["open"]) == (WEEKLY, True)
    assert not [row for row in found if "Series" in row[3]], "what only programs read is no metadata any more"
    assert found[-1][2] == ["red", "b\u00e9ta", "legal", "Work"]
