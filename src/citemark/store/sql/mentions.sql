-- name: mentions_due
-- Sources whose names changed, or whose pages do not know all names, where nothing waits to be read. A page that is tried
-- again later holds nothing up. With `due` null, however lately they were looked at.
WITH shared AS MATERIALIZED (
    SELECT a.source_id, b.source_id AS name_source
    FROM source_grant a JOIN source_grant b USING (grantee)
    JOIN source s ON s.source_id = a.source_id JOIN source t ON t.source_id = b.source_id AND t.tenant = s.tenant
    WHERE a.source_id = ANY(%(source_ids)s::int[])
    UNION SELECT s.source_id, b.source_id FROM source s
    JOIN source t ON t.tenant = s.tenant JOIN source_grant b ON b.source_id = t.source_id AND b.grantee = 'everyone'
    WHERE s.source_id = ANY(%(source_ids)s::int[])
    UNION SELECT s.source_id, s.source_id FROM source s WHERE s.source_id = ANY(%(source_ids)s::int[])),
named AS (
    SELECT h.source_id, array_agg(h.name_source ORDER BY h.name_source) AS name_sources, max(n.number) AS latest
    FROM shared h
    LEFT JOIN LATERAL (SELECT k.number FROM known_name k WHERE k.source_id = h.name_source
                       ORDER BY k.number DESC LIMIT 1) n ON true
    GROUP BY h.source_id),
states AS (
    SELECT n.source_id, n.name_sources, coalesce(n.latest, 0) AS latest, coalesce(m.linked, 0) AS linked,
           coalesce(m.wanted, 0) AS wanted, coalesce(m.name_sources, '{}') AS known_sources,
           coalesce(m.noted_at, '-infinity') AS noted_at, coalesce(m.due_at, '-infinity') AS due_at,
           coalesce(m.deleted_at, '-infinity') AS deleted_at
    FROM named n LEFT JOIN mention_state m USING (source_id)),
changes AS (
    SELECT t.*, EXISTS (SELECT 1 FROM revision r WHERE r.source_id = t.source_id AND r.valid_to = 'infinity'
                        AND r.valid_from > t.noted_at)
             OR EXISTS (SELECT 1 FROM revision r WHERE r.source_id = t.source_id AND r.valid_to > t.noted_at
                        AND r.valid_to < 'infinity')
             OR t.deleted_at > t.noted_at AS changed
    FROM states t WHERE NOT %(due)s::boolean OR t.due_at <= clock_timestamp())
SELECT c.source_id, c.changed FROM changes c
WHERE (c.changed OR c.latest > c.linked OR c.wanted > c.linked OR NOT c.name_sources <@ c.known_sources)
  AND NOT EXISTS (SELECT 1 FROM item i WHERE i.source_id = c.source_id AND NOT i.parked
                  AND i.wanted_version IS DISTINCT FROM i.indexed_version AND i.retry_at <= clock_timestamp())
ORDER BY c.source_id

-- name: mentions_claim
INSERT INTO mention_state AS m (source_id, leased_by, lease_until)
SELECT s.source_id, %(worker)s, clock_timestamp() + %(lease)s * interval '1 second' FROM source s
WHERE s.source_id = %(source_id)s
FOR KEY SHARE -- a source that is being removed is waited for, and then claimed by nobody
ON CONFLICT (source_id) DO UPDATE SET leased_by = excluded.leased_by, lease_until = excluded.lease_until
WHERE m.leased_by IS NULL OR m.leased_by = excluded.leased_by OR m.lease_until < clock_timestamp()
RETURNING m.source_id

-- name: mentions_release (repeatable)
UPDATE mention_state SET leased_by = NULL WHERE leased_by = %(worker)s

-- name: mentions_forget (repeatable)
-- Pages are written without mentions from here on: whoever links again begins anew.
UPDATE mention_state SET linked = 0, wanted = 0, reached = 0, name_sources = '{}', leased_by = NULL
WHERE linked > 0 OR wanted > 0

-- name: names_borne
-- What documents of a source are called and their headings define, as they write it; titles come first.
SELECT x.to_name AS name, array_agg(DISTINCT coalesce(x.metadata ->> 'form', s.title, v.title)) AS titles
FROM relationship x
JOIN revision v ON v.source_id = x.source_id AND v.revision_id = x.revision_id
LEFT JOIN section s ON s.source_id = x.source_id AND s.revision_id = x.revision_id AND s.document_id = x.from_document_id
WHERE x.source_id = %(source_id)s AND x.type IN ('named', 'defines') AND x.to_kind = 'term' AND x.valid_to = 'infinity'
GROUP BY x.to_name HAVING count(DISTINCT x.page_id) <= %(most_bearers)s
ORDER BY bool_or(x.type = 'named') DESC, x.to_name LIMIT %(limit)s

-- name: names_lost
-- A page is deleted without history: no revision tells that its names have to be noted again.
UPDATE mention_state SET deleted_at = greatest(deleted_at, %(at)s) WHERE source_id = %(source_id)s

-- name: names_lock
-- Names become known in the order of their numbers.
SELECT pg_advisory_xact_lock(4867004)

-- name: names_write
WITH given AS (
    SELECT e ->> 0 AS name, ARRAY(SELECT jsonb_array_elements_text(e -> 1)) AS forms
    FROM jsonb_array_elements(%(names)s::jsonb) e),
gone AS (
    DELETE FROM known_name k WHERE k.source_id = %(source_id)s
      AND NOT EXISTS (SELECT 1 FROM given g WHERE g.name = k.name)),
noted AS (
    UPDATE mention_state SET noted_at = %(until)s WHERE source_id = %(source_id)s),
next AS MATERIALIZED (SELECT nextval('known_name_number') AS number)
INSERT INTO known_name AS k (source_id, name, forms, number)
SELECT s.source_id, g.name, g.forms, n.number FROM source s CROSS JOIN given g CROSS JOIN next n
WHERE s.source_id = %(source_id)s
ON CONFLICT (source_id, name) DO UPDATE SET forms = excluded.forms, number = excluded.number
WHERE k.forms <> excluded.forms

-- name: names_scope
-- The sources whose names count in a source, and the number up to which they are known; read before the names. Those of what
-- everyone may read count everywhere: whoever reads a source may read them too.
SELECT h.name_sources, greatest(m.wanted, (
           SELECT max(k.number) FROM unnest(h.name_sources) t (id) CROSS JOIN LATERAL (
               SELECT k.number FROM known_name k WHERE k.source_id = t.id ORDER BY k.number DESC LIMIT 1) k), 0) AS number
FROM source s LEFT JOIN mention_state m USING (source_id)
CROSS JOIN LATERAL (
    SELECT array_agg(t.source_id ORDER BY t.source_id) AS name_sources FROM source t
    WHERE t.tenant = s.tenant AND (t.source_id = s.source_id OR EXISTS (
        SELECT 1 FROM source_grant b WHERE b.source_id = t.source_id AND (b.grantee = 'everyone' OR EXISTS (
            SELECT 1 FROM source_grant a WHERE a.source_id = s.source_id AND a.grantee = b.grantee))))) h
WHERE s.source_id = %(source_id)s

-- name: names_known
SELECT source_id, name, forms, number FROM known_name WHERE source_id = ANY(%(source_ids)s::int[])
ORDER BY source_id, name LIMIT %(limit)s

-- name: names_wanted
-- Read after the source is held: a pass that asks for more names waits for the pages that hold it.
SELECT m.wanted FROM mention_state m WHERE m.source_id = %(source_id)s

-- name: linking_state
SELECT wanted, linked, reached, last, name_sources FROM mention_state
WHERE source_id = %(source_id)s AND leased_by = %(worker)s

-- name: linking_begin
-- From here on every page that is written knows the names; those that are there are gone through.
UPDATE mention_state m
SET wanted = greatest(m.wanted, %(number)s), reached = 0, name_sources = %(name_sources)s::int[],
    linked = CASE WHEN %(name_sources)s::int[] <@ m.name_sources THEN m.linked ELSE 0 END,
    last = (SELECT coalesce(max(r.revision_id), 0) FROM revision r WHERE r.source_id = m.source_id)
WHERE m.source_id = %(source_id)s AND m.leased_by = %(worker)s
RETURNING wanted, linked, reached, last, name_sources

-- name: linking_pages
SELECT r.revision_id, r.document_id, r.title, r.body, (
    SELECT coalesce(jsonb_agg(jsonb_build_array(s.document_id, s.slug, s.title, s.start_char, s.end_char)
                              ORDER BY s.ordinal), '[]')
    FROM section s WHERE s.source_id = r.source_id AND s.revision_id = r.revision_id) AS sections
FROM revision r
WHERE r.source_id = %(source_id)s AND r.revision_id > %(reached)s AND r.revision_id <= %(last)s
  AND r.valid_to = 'infinity'
ORDER BY r.revision_id LIMIT %(limit)s

-- name: linking_pages_hold
SELECT d.document_id FROM document d
WHERE d.source_id = %(source_id)s AND d.document_id = ANY(%(page_ids)s::bigint[]) ORDER BY d.document_id FOR UPDATE

-- name: linking_write
-- Only in revisions that still hold, and what they do not state already.
INSERT INTO relationship (source_id, page_id, from_document_id, type, to_kind, to_name, to_key, revision_id, start_char,
                          end_char, valid_from, metadata)
SELECT r.source_id, r.document_id, m.from_id, 'mentions', 'term', m.name, node_key(0, 'term', m.name), r.revision_id,
       m.start_char, m.end_char, greatest(%(at)s, r.valid_from), m.metadata
FROM unnest(%(revision_ids)s::bigint[], %(from_ids)s::bigint[], %(names)s::text[], %(starts)s::int[], %(ends)s::int[],
            %(metadatas)s::jsonb[]) AS m (revision_id, from_id, name, start_char, end_char, metadata)
JOIN revision r ON r.source_id = %(source_id)s AND r.revision_id = m.revision_id AND r.valid_to = 'infinity'
WHERE NOT EXISTS (SELECT 1 FROM relationship x WHERE x.source_id = r.source_id AND x.from_document_id = m.from_id
                  AND x.type = 'mentions' AND x.to_name = m.name AND x.valid_to = 'infinity')

-- name: linking_reach
UPDATE mention_state SET reached = %(reached)s, lease_until = clock_timestamp() + %(lease)s * interval '1 second'
WHERE source_id = %(source_id)s AND leased_by = %(worker)s
RETURNING source_id

-- name: linking_end
UPDATE mention_state
SET linked = wanted, reached = 0, last = 0, leased_by = NULL,
    due_at = clock_timestamp() + %(pause)s * interval '1 second'
WHERE source_id = %(source_id)s AND leased_by = %(worker)s

-- name: common_names_note
WITH common AS MATERIALIZED (
    SELECT x.to_key FROM relationship x
    WHERE x.source_id = %(source_id)s AND x.type = 'mentions' AND x.metadata <> '{}' AND x.valid_to = 'infinity'
    GROUP BY x.to_key
    HAVING count(DISTINCT x.page_id) > %(share)s * (
        SELECT count(*) FROM document d
        WHERE d.source_id = %(source_id)s AND d.page_id IS NULL AND d.valid_to = 'infinity')),
rare AS (
    UPDATE common_name n SET valid_to = greatest(%(at)s, n.valid_from + interval '1 microsecond')
    WHERE n.source_id = %(source_id)s AND n.valid_to = 'infinity'
      AND NOT EXISTS (SELECT 1 FROM common c WHERE c.to_key = n.to_key)),
forgotten AS (
    DELETE FROM common_name n USING source s
    WHERE n.source_id = %(source_id)s AND s.source_id = n.source_id AND NOT s.keep_history AND n.valid_to < 'infinity'
      AND NOT EXISTS (SELECT 1 FROM baseline_source b WHERE b.source_id = n.source_id))
INSERT INTO common_name (source_id, to_key, valid_from)
SELECT s.source_id, c.to_key, %(at)s FROM source s CROSS JOIN common c
WHERE s.source_id = %(source_id)s
ON CONFLICT DO NOTHING
