-- name: watch_state
SELECT source_id, wanted, watched_by, (watched_until > clock_timestamp()) IS TRUE AS held,
       (watched_until > clock_timestamp() + %(lease)s * interval '0.5 seconds') IS TRUE AS fresh
FROM scan WHERE source_id = ANY(%(source_ids)s)

-- name: watch_hold (repeatable)
-- One watcher per source: of several that ask at once the first gets it, the lease of one that died runs out. Waits for
-- nobody: a row that is being written stays whose it is until the next time.
WITH got AS (
    UPDATE scan SET watched_by = %(worker)s, watched_until = clock_timestamp() + %(lease)s * interval '1 second',
           watching = CASE WHEN watched_by = %(worker)s THEN watching ELSE '' END
    WHERE source_id IN (
        SELECT source_id FROM scan
        WHERE source_id = ANY(%(source_ids)s)
          AND (watched_until IS NULL OR watched_until <= clock_timestamp() OR watched_by = %(worker)s
               OR watched_by = ANY(%(dead)s))
        FOR UPDATE SKIP LOCKED)
    RETURNING source_id)
SELECT source_id FROM got
UNION SELECT source_id FROM scan
      WHERE source_id = ANY(%(source_ids)s) AND watched_by = %(worker)s AND watched_until > clock_timestamp()

-- name: watch_describe (repeatable)
UPDATE scan SET watching = %(watching)s WHERE source_id = %(source_id)s AND watched_by = %(worker)s

-- name: watch_release (repeatable)
UPDATE scan SET watched_by = NULL, watched_until = NULL, watching = ''
WHERE watched_by = %(worker)s AND (%(source_id)s::int IS NULL OR source_id = %(source_id)s)
