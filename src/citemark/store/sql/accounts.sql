-- name: accounts_owned
-- Accounts of one person: granted to them by name, or added by the one person of this machine.
SELECT {source_columns} FROM source s
WHERE s.tenant = %(tenant)s AND s.kind = %(kind)s
  AND EXISTS (SELECT 1 FROM source_grant g WHERE g.source_id = s.source_id AND g.grantee = ANY(%(grantees)s::text[]))
ORDER BY s.name

-- name: account_states
SELECT s.source_id, c.last_complete_at, extract(epoch FROM clock_timestamp() - c.last_complete_at)::float8 AS lag,
       c.reason, (c.lease_until > clock_timestamp()) IS TRUE AS scanning, c.wanted, x.refused, x.retry_at, s.erase_at,
       (SELECT count(*) FROM vector_task v WHERE v.source_id = s.source_id AND v.tries < 5) AS vectors_pending,
       (SELECT count(*) FROM vector_task v JOIN embedding_set e USING (embedding_set_id)
        WHERE v.source_id = s.source_id AND e.state = 'active' AND v.rank = 0 AND NOT v.past) AS firsts_missing
FROM source s JOIN scan c USING (source_id) LEFT JOIN source_secret x USING (source_id)
WHERE s.source_id = ANY(%(source_ids)s)

-- name: account_counts
SELECT i.source_id, i.doc_type, count(*) FILTER (WHERE i.indexed_version IS NOT NULL) AS indexed,
       count(*) FILTER (WHERE i.wanted_version IS DISTINCT FROM i.indexed_version AND NOT i.parked) AS pending,
       count(*) FILTER (WHERE i.wanted_version IS DISTINCT FROM i.indexed_version AND i.parked) AS failed
FROM item i WHERE i.source_id = ANY(%(source_ids)s)
GROUP BY i.source_id, i.doc_type ORDER BY i.source_id, i.doc_type

-- name: revision_series
SELECT r.source_id, r.revision_id, r.dates ->> 'series' AS series
FROM unnest(%(sources)s::int[], %(revisions)s::bigint[]) AS q (source_id, revision_id)
JOIN revision r ON r.source_id = q.source_id AND r.revision_id = q.revision_id
WHERE r.source_id = ANY(%(source_ids)s) AND r.dates ->> 'series' <> ''

-- name: source_configure (repeatable)
UPDATE source SET config = config || %(changes)s::jsonb, erase_at = %(erase_at)s WHERE source_id = %(source_id)s

-- name: source_interrupt
-- A scan that is under way and the workers that hold documents lose their leases.
WITH i AS (UPDATE item SET leased_by = NULL, lease_until = NULL
           WHERE source_id = %(source_id)s AND leased_by IS NOT NULL)
UPDATE scan SET wanted = false, leased_by = NULL, lease_until = NULL WHERE source_id = %(source_id)s

-- name: accounts_overdue
SELECT source_id FROM source WHERE erase_at <= %(now)s ORDER BY source_id

-- name: account_erasing
UPDATE source SET erase_at = NULL WHERE source_id = %(source_id)s AND erase_at <= %(now)s RETURNING source_id

-- name: source_empty
-- All that came from a source; what it is, and who may read it, stays. No earlier state can be read any more.
WITH d AS (DELETE FROM document WHERE source_id = %(source_id)s),
     i AS (DELETE FROM item WHERE source_id = %(source_id)s),
     p AS (DELETE FROM problem WHERE source_id = %(source_id)s),
     h AS (DELETE FROM passage WHERE source_id = %(source_id)s),
     k AS (DELETE FROM ranked_hit WHERE source_id = %(source_id)s),
     m AS (DELETE FROM scan_memory WHERE source_id = %(source_id)s),
     n AS (DELETE FROM known_name WHERE source_id = %(source_id)s),
     c AS (DELETE FROM common_name WHERE source_id = %(source_id)s),
     l AS (DELETE FROM mention_state WHERE source_id = %(source_id)s),
     f AS (UPDATE source SET history_from = greatest(history_from, clock_timestamp()) WHERE source_id = %(source_id)s),
     t AS (UPDATE source_stat SET chunks = 0, sum_length = 0 WHERE source_id = %(source_id)s)
UPDATE scan SET wanted = false, last_complete_at = NULL, listed = 0, empty_streak = 0, reason = ''
WHERE source_id = %(source_id)s
