-- name: passages_keep (repeatable, planned once)
-- A crash empties the table, so that there is nothing to wait for: but the key share lock that its foreign key takes on the
-- source is logged, and the disk was waited for on its account.
INSERT INTO passage (source_id, passage_id, session_id, principal, chunk_id, span_start, span_end, created_at, expires_at,
                     read_at, as_of, baseline)
SELECT s, p, %(session_id)s, %(principal)s, c, a, b, %(now)s, %(expires_at)s, r, m, l
FROM (SELECT set_config('synchronous_commit', 'off', true)) w,
     unnest(%(source_ids)s::int[], %(passage_ids)s::text[], %(chunk_ids)s::bigint[], %(starts)s::int[], %(ends)s::int[],
            %(read_at)s::timestamptz[], %(as_of)s::timestamptz[], %(baselines)s::text[])
     AS n (s, p, c, a, b, r, m, l)
ON CONFLICT (source_id, passage_id) DO NOTHING

-- name: passages_find (planned once)
SELECT passage_id, source_id, chunk_id, span_start, span_end, created_at, read_at, as_of, baseline FROM passage
WHERE passage_id = ANY(%(passage_ids)s) AND session_id = %(session_id)s AND principal = %(principal)s
  AND expires_at > %(now)s

-- name: passage_session
SELECT session_id FROM passage
WHERE passage_id = %(passage_id)s AND principal = %(principal)s AND expires_at > %(now)s
LIMIT 1

-- name: ranking_keep (repeatable, planned once)
-- Nor is the disk waited for here.
INSERT INTO ranked_hit (source_id, list_id, rank, chunk_id, score, why, principal, digest, expires_at)
SELECT s, %(list_id)s, r, c, f, w, %(principal)s, %(digest)s, %(expires_at)s
FROM (SELECT set_config('synchronous_commit', 'off', true)) o,
     unnest(%(source_ids)s::int[], %(ranks)s::int[], %(chunk_ids)s::bigint[], %(scores)s::real[], %(whys)s::jsonb[])
     AS n (s, r, c, f, w)
ON CONFLICT (source_id, list_id, rank) DO NOTHING

-- name: ranking_read (planned once)
SELECT source_id, rank, chunk_id, score, why FROM ranked_hit
WHERE list_id = %(list_id)s AND principal = %(principal)s AND digest = %(digest)s AND expires_at > %(now)s
ORDER BY rank

-- name: handles_forget (repeatable)
WITH r AS (DELETE FROM ranked_hit WHERE expires_at < %(now)s),
     w AS (DELETE FROM work_done WHERE slot < clock_timestamp() - interval '10 minutes'),
     a AS (DELETE FROM search_activity WHERE at < clock_timestamp() - interval '1 hour')
DELETE FROM passage WHERE expires_at < %(now)s
