-- name: scan_claim (repeatable)
-- One scanner per source: the lease of a scanner that died runs out. An account that is switched off is not scanned.
UPDATE scan SET leased_by = %(worker)s, lease_until = clock_timestamp() + %(lease)s * interval '1 second',
       started_at = clock_timestamp(), wanted = false, scan_number = scan_number + 1
WHERE source_id = %(source_id)s AND (lease_until IS NULL OR lease_until < clock_timestamp() OR leased_by = %(worker)s)
  AND EXISTS (SELECT 1 FROM source s
              WHERE s.source_id = %(source_id)s AND s.config -> 'sync' IS DISTINCT FROM 'false'::jsonb)
RETURNING empty_streak

-- name: scan_renew (repeatable)
-- Waits for nobody: a row that is being written is kept the next time.
WITH kept AS (
    UPDATE scan SET lease_until = clock_timestamp() + %(lease)s * interval '1 second'
    WHERE source_id IN (SELECT source_id FROM scan WHERE source_id = %(source_id)s AND leased_by = %(worker)s
                        FOR UPDATE SKIP LOCKED))
SELECT source_id FROM scan WHERE source_id = %(source_id)s AND leased_by = %(worker)s

-- name: scan_finish (repeatable)
UPDATE scan SET leased_by = NULL, lease_until = NULL, finished_at = clock_timestamp(), listed = %(listed)s,
       last_complete_at = CASE WHEN %(complete)s THEN clock_timestamp() ELSE last_complete_at END,
       empty_streak = %(empty_streak)s, reason = %(reason)s
WHERE source_id = %(source_id)s AND leased_by = %(worker)s
RETURNING source_id

-- name: items_known
SELECT doc_type, native_id, wanted_version, indexed_version, missing_since, parked, text_version, readers FROM item WHERE source_id = %(source_id)s

-- name: scan_release (repeatable)
-- A scan that broke off is still wanted.
UPDATE scan SET leased_by = NULL, lease_until = NULL, wanted = true WHERE leased_by = %(worker)s

-- name: items_wanted
-- A version that a worker does not know yet takes the lease from it: what it read may be older. What is due first is read
-- first, so a large document is due a second later for each of its megabytes.
INSERT INTO item (source_id, doc_type, native_id, wanted_version, modified_at, readers, retry_at)
SELECT %(source_id)s, t, n, v, m, r, timestamptz '2000-01-01 00:00:00+00' + mib * interval '1 second'
FROM unnest(%(doc_types)s::text[], %(native_ids)s::text[], %(versions)s::text[], %(modified)s::timestamptz[],
            %(readers)s::text[], %(megabytes)s::int[]) AS l (t, n, v, m, r, mib)
ORDER BY t, n
ON CONFLICT (source_id, doc_type, native_id) DO UPDATE
SET wanted_version = excluded.wanted_version, modified_at = excluded.modified_at, missing_since = NULL,
    readers = excluded.readers,
    tries = 0, suspect = false, parked = false, error = NULL, retry_at = excluded.retry_at,
    leased_by = CASE WHEN item.wanted_version = excluded.wanted_version THEN item.leased_by END,
    lease_until = CASE WHEN item.wanted_version = excluded.wanted_version THEN item.lease_until END

-- name: items_outdated
-- To be read again at the version they have. No source gives an empty one; they come after all that really changed.
UPDATE item i SET indexed_version = CASE WHEN indexed_version IS NOT NULL THEN '' END, tries = 0, suspect = false,
       parked = false, error = NULL, retry_at = clock_timestamp(), readers = l.r
FROM unnest(%(doc_types)s::text[], %(native_ids)s::text[], %(readers)s::text[]) AS l (t, n, r)
WHERE i.source_id = %(source_id)s AND i.doc_type = l.t AND i.native_id = l.n
  AND (parked OR wanted_version IS NOT DISTINCT FROM indexed_version)

-- name: items_linking
-- Pages with a link to what was not there, which a document that is new may be: a link can leave out the suffix, and mean a
-- folder's index. They are read again. A link that gives a document's own name needs no mending, even if that is yet to be read.
-- Links are looked up by their names one by one, and the rest is MATERIALIZED: the planner takes tables that were not analysed yet
-- for a row each, and looked at all links for each page for each entry of the ledger.
WITH new AS MATERIALIZED (
    SELECT l.n FROM unnest(%(doc_types)s::text[], %(native_ids)s::text[]) AS l (t, n)
    WHERE NOT EXISTS (SELECT 1 FROM item i
                      WHERE i.source_id = %(source_id)s AND i.doc_type = l.t AND i.native_id = l.n)),
names AS MATERIALIZED (
    SELECT linked_name(split_part(new.n, '/', -1)) AS name FROM new
    UNION SELECT linked_name(split_part(new.n, '/', -2)) FROM new),
named AS MATERIALIZED (
    SELECT r.page_id, r.page
    FROM names
    CROSS JOIN LATERAL (
        SELECT r.page_id, split_part(r.to_native_id, '#', 1) AS page FROM relationship r
        WHERE r.source_id = %(source_id)s AND r.valid_to = 'infinity' AND r.type = 'links_to' AND r.to_native_id IS NOT NULL
          AND linked_name(r.to_native_id) = names.name OFFSET 0) r
    WHERE r.page NOT IN (SELECT n FROM new)),
linking AS MATERIALIZED (
    SELECT d.doc_type, d.native_id
    FROM named l
    JOIN document d ON d.source_id = %(source_id)s AND d.document_id = l.page_id AND d.valid_to = 'infinity'
    WHERE NOT EXISTS (SELECT 1 FROM document p WHERE p.source_id = %(source_id)s AND p.native_id = l.page
                      AND p.page_id IS NULL AND p.valid_to = 'infinity')
      AND NOT EXISTS (SELECT 1 FROM item t WHERE t.source_id = %(source_id)s AND t.native_id = l.page
                      AND t.wanted_version IS NOT NULL))
UPDATE item SET indexed_version = '', retry_at = clock_timestamp()
WHERE source_id = %(source_id)s AND (doc_type, native_id) IN (SELECT doc_type, native_id FROM linking)
  AND wanted_version = indexed_version AND NOT parked

-- name: items_missing
UPDATE item SET missing_since = coalesce(missing_since, clock_timestamp())
WHERE source_id = %(source_id)s
  AND (doc_type, native_id) IN (SELECT * FROM unnest(%(doc_types)s::text[], %(native_ids)s::text[]))

-- name: items_gone
UPDATE item SET wanted_version = NULL, tries = 0, suspect = false, parked = false, error = NULL,
       retry_at = '2000-01-01 00:00:00+00', leased_by = NULL, lease_until = NULL
WHERE source_id = %(source_id)s
  AND (doc_type, native_id) IN (SELECT * FROM unnest(%(doc_types)s::text[], %(native_ids)s::text[]))

-- name: items_never_indexed_gone
WITH gone AS (
    DELETE FROM item WHERE source_id = %(source_id)s AND wanted_version IS NULL AND indexed_version IS NULL
      AND (doc_type, native_id) IN (SELECT * FROM unnest(%(doc_types)s::text[], %(native_ids)s::text[]))
    RETURNING source_id, native_id)
DELETE FROM problem p USING gone g WHERE p.source_id = g.source_id AND p.native_id = g.native_id AND p.stage = 'text'

-- name: item_stale (repeatable)
-- A reader saw that the source's version is another than the indexed one: look again, whatever the last scan said.
-- What waits or is parked already stays as it is, and nobody waits here for a worker that is writing the document.
UPDATE item SET wanted_version = %(version)s, tries = 0, suspect = false, error = NULL, retry_at = '2000-01-01 00:00:00+00'
WHERE (source_id, doc_type, native_id) IN (
    SELECT source_id, doc_type, native_id FROM item
    WHERE source_id = %(source_id)s AND doc_type = %(doc_type)s AND native_id = %(native_id)s
      AND wanted_version IS NOT DISTINCT FROM indexed_version
    FOR UPDATE SKIP LOCKED)

-- name: scan_wake (repeatable)
UPDATE scan SET wanted = true WHERE source_id = %(source_id)s

-- name: items_claim (repeatable)
-- A worker has settled all it holds when it asks for more: what it still holds was lost with a connection. What others
-- held and let go of without a word is left to items_lost. In all sources, what is due since ever comes before the rest. The
-- rows are found again by arrays of their keys, of which the planner expects few; of a CTE it expects so many that it would
-- read all items.
WITH followed AS MATERIALIZED (
    SELECT source_id FROM source
    WHERE source_id = ANY(%(source_ids)s) AND config -> 'sync' IS DISTINCT FROM 'false'::jsonb),
first AS MATERIALIZED (
    SELECT source_id, doc_type, native_id FROM item
    WHERE wanted_version IS DISTINCT FROM indexed_version AND NOT parked
      AND source_id = ANY(ARRAY(SELECT source_id FROM followed))
      AND retry_at = '2000-01-01 00:00:00+00' AND ((lease_until IS NULL AND NOT suspect) OR leased_by = %(worker)s)
    ORDER BY source_id, native_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED),
late AS MATERIALIZED (
    SELECT source_id, doc_type, native_id FROM item
    WHERE NOT EXISTS (SELECT 1 FROM first)
      AND wanted_version IS DISTINCT FROM indexed_version AND NOT parked
      AND source_id = ANY(ARRAY(SELECT source_id FROM followed))
      AND retry_at <= clock_timestamp() AND ((lease_until IS NULL AND NOT suspect) OR leased_by = %(worker)s)
    ORDER BY source_id, retry_at, native_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED),
next AS (SELECT *, false AS late FROM first UNION ALL SELECT *, true FROM late),
rows AS (SELECT array_agg(source_id) AS sources, array_agg(doc_type) AS types, array_agg(native_id) AS names, array_agg(late) AS late
         FROM next)
UPDATE item i SET leased_by = %(worker)s, lease_until = clock_timestamp() + %(lease)s * interval '1 second',
       text_version = %(text_version)s
FROM rows r CROSS JOIN LATERAL unnest(r.sources, r.types, r.names, r.late) AS n (source_id, doc_type, native_id, late)
WHERE i.source_id = n.source_id AND i.doc_type = n.doc_type AND i.native_id = n.native_id
RETURNING i.source_id, i.doc_type, i.native_id, i.wanted_version, i.indexed_version, i.tries, i.readers, n.late

-- name: suspect_claim (repeatable)
-- One of the documents over which a worker died, and only while nobody reads another: who dies now names the culprit.
-- Claims at once meet at the same row, of which the second finds a lease.
UPDATE item i SET leased_by = %(worker)s, lease_until = clock_timestamp() + %(lease)s * interval '1 second',
       text_version = %(text_version)s
FROM (SELECT source_id, doc_type, native_id FROM item
      WHERE wanted_version IS DISTINCT FROM indexed_version AND NOT parked AND source_id = ANY(ARRAY(
          SELECT source_id FROM source
          WHERE source_id = ANY(%(source_ids)s) AND config -> 'sync' IS DISTINCT FROM 'false'::jsonb))
        AND retry_at <= clock_timestamp() AND lease_until IS NULL AND suspect
        AND NOT EXISTS (SELECT 1 FROM item o WHERE o.wanted_version IS DISTINCT FROM o.indexed_version AND NOT o.parked
                        AND o.source_id = ANY(%(source_ids)s) AND o.suspect AND o.lease_until IS NOT NULL)
      ORDER BY source_id, retry_at, native_id LIMIT 1) n
WHERE i.source_id = n.source_id AND i.doc_type = n.doc_type AND i.native_id = n.native_id AND i.lease_until IS NULL
RETURNING i.source_id, i.doc_type, i.native_id, i.wanted_version, i.indexed_version, i.tries, i.readers, true AS late

-- name: items_lost (repeatable)
-- Who held these died or hung over one of them: that is a try for each, and from now on they are read one at a time,
-- after all others. With the fifth they are given up, and shown.
WITH held AS MATERIALIZED (
    SELECT i.source_id, i.doc_type, i.native_id FROM source s JOIN item i USING (source_id)
    WHERE i.wanted_version IS DISTINCT FROM i.indexed_version AND NOT i.parked
      AND (i.leased_by = ANY(%(workers)s::text[])
           OR (i.source_id = ANY(%(source_ids)s::int[]) AND i.lease_until < clock_timestamp()))
    ORDER BY i.source_id, i.doc_type, i.native_id FOR KEY SHARE OF s FOR UPDATE OF i SKIP LOCKED),
lost AS (
    UPDATE item i SET leased_by = NULL, lease_until = NULL, tries = i.tries + 1, suspect = true,
           parked = i.tries + 1 >= %(max_tries)s, error = %(error)s, retry_at = clock_timestamp()
    FROM held h WHERE i.source_id = h.source_id AND i.doc_type = h.doc_type AND i.native_id = h.native_id
    RETURNING i.source_id, i.native_id, i.parked)
INSERT INTO problem (source_id, native_id, stage, message)
SELECT source_id, native_id, 'text', %(error)s FROM lost WHERE parked
ON CONFLICT (source_id, native_id, stage) DO UPDATE SET message = excluded.message, seen_at = clock_timestamp()
RETURNING source_id, native_id

-- name: items_renew (repeatable)
-- Waits for nobody, least of all for the page that this worker is writing: nobody can take that one meanwhile.
UPDATE item SET lease_until = clock_timestamp() + %(lease)s * interval '1 second'
WHERE (source_id, doc_type, native_id) IN (
    SELECT source_id, doc_type, native_id FROM item
    WHERE wanted_version IS DISTINCT FROM indexed_version AND NOT parked AND leased_by = %(worker)s
    FOR UPDATE SKIP LOCKED)

-- name: item_done
-- What could not be read before can now.
WITH solved AS (DELETE FROM problem WHERE source_id = %(source_id)s AND native_id = %(native_id)s AND stage = 'text')
UPDATE item SET indexed_version = %(version)s, wanted_version = %(version)s, leased_by = NULL, lease_until = NULL,
       readers = %(readers)s, tries = 0, suspect = false, error = NULL, parked = false
WHERE source_id = %(source_id)s AND doc_type = %(doc_type)s AND native_id = %(native_id)s AND leased_by = %(worker)s
RETURNING native_id

-- name: items_done
-- The same for several documents. Nobody is waited for: those of which another has the row are not settled.
WITH held AS MATERIALIZED (
    SELECT i.doc_type, i.native_id, d.version, d.readers
    FROM unnest(%(names)s::text[], %(versions)s::text[], %(readers)s::text[]) AS d (native_id, version, readers)
    JOIN item i ON i.source_id = %(source_id)s AND i.doc_type = %(doc_type)s AND i.native_id = d.native_id
    WHERE i.leased_by = %(worker)s FOR UPDATE OF i SKIP LOCKED),
solved AS (
    DELETE FROM problem WHERE source_id = %(source_id)s AND native_id = ANY(%(names)s::text[]) AND stage = 'text')
UPDATE item i SET indexed_version = h.version, wanted_version = h.version, leased_by = NULL, lease_until = NULL,
       readers = h.readers, tries = 0, suspect = false, error = NULL, parked = false
FROM held h WHERE i.source_id = %(source_id)s AND i.doc_type = h.doc_type AND i.native_id = h.native_id
RETURNING i.native_id

-- name: item_removed
WITH solved AS (DELETE FROM problem WHERE source_id = %(source_id)s AND native_id = %(native_id)s AND stage = 'text')
DELETE FROM item
WHERE source_id = %(source_id)s AND doc_type = %(doc_type)s AND native_id = %(native_id)s AND leased_by = %(worker)s
RETURNING native_id

-- name: item_failed (repeatable)
UPDATE item SET leased_by = NULL, lease_until = NULL, tries = tries + %(counted)s::int, error = %(error)s,
       parked = %(park)s OR tries + %(counted)s::int >= %(max_tries)s,
       readers = coalesce(%(readers)s, readers),
       retry_at = clock_timestamp() + %(delay)s * interval '1 second'
WHERE source_id = %(source_id)s AND doc_type = %(doc_type)s AND native_id = %(native_id)s AND leased_by = %(worker)s
RETURNING parked

-- name: items_release (repeatable)
UPDATE item SET leased_by = NULL, lease_until = NULL WHERE leased_by = %(worker)s

-- name: items_waiting
SELECT count(*) FILTER (WHERE NOT parked) AS waiting, count(*) FILTER (WHERE parked) AS parked,
       min(greatest(retry_at, coalesce(lease_until, '2000-01-01 00:00:00+00'))) FILTER (WHERE NOT parked) AS next_at
FROM item WHERE source_id = ANY(%(source_ids)s) AND wanted_version IS DISTINCT FROM indexed_version
