-- name: sets (planned once)
SELECT embedding_set_id, model, fingerprint, dimensions, state, recipe, canary, random_pairs FROM embedding_set
WHERE state <> 'retired' ORDER BY embedding_set_id

-- name: set_lock
-- Sets come and go while nobody writes chunks or vectors.
SELECT pg_advisory_xact_lock(4867003)

-- name: set_hold
SELECT pg_advisory_xact_lock_shared(4867003)

-- name: sets_with_tables
SELECT embedding_set_id FROM embedding_set WHERE to_regclass('embedding_' || embedding_set_id) IS NOT NULL
ORDER BY embedding_set_id

-- name: set_add
INSERT INTO embedding_set (model, fingerprint, dimensions, state, activated_at, recipe, canary)
SELECT %(model)s, %(fingerprint)s, %(dimensions)s, s.state, CASE WHEN s.state = 'active' THEN clock_timestamp() END,
       %(recipe)s::jsonb, %(canary)s::real[]
FROM (SELECT CASE WHEN EXISTS (SELECT 1 FROM embedding_set WHERE state = 'active') THEN 'building' ELSE 'active' END
      AS state) s
ON CONFLICT (model, fingerprint) DO UPDATE SET state = 'building', dimensions = excluded.dimensions,
       recipe = excluded.recipe, canary = excluded.canary, random_pairs = '{}', random_pairs_of = 0
       WHERE embedding_set.state = 'retired'
RETURNING embedding_set_id, state

-- name: set_find
SELECT embedding_set_id, model, fingerprint, dimensions, state, recipe, canary, random_pairs FROM embedding_set
WHERE model = %(model)s AND fingerprint = %(fingerprint)s

-- name: set_tables
-- By functions of the owner, since a server need not own tables.
SELECT make_embedding_tables(%(set)s, %(dimensions)s)

-- name: set_queue_all
-- A second set begins with every chunk in its queue, those of the past behind those at HEAD.
INSERT INTO vector_task (source_id, embedding_set_id, chunk_id, size, past, rank)
SELECT c.source_id, {set}, c.chunk_id, c.size, c.past, c.rank
FROM (SELECT c.source_id, c.chunk_id, length(coalesce(w.context, c.context)) + greatest(length(c.text), c.end_char - c.start_char) AS size,
             c.valid_to < 'infinity' AS past, c.ordinal,
             r.words_from, vector_rank(c.ordinal, count(*) OVER (PARTITION BY c.source_id, c.revision_id),
                                       r.modified_at > clock_timestamp() - interval '30 days', r.words_from IS NOT NULL) AS rank
      FROM chunk c JOIN revision r USING (source_id, revision_id)
      LEFT JOIN chunk_terms_past w ON c.text_hash = '' AND w.source_id = c.source_id AND w.chunk_id = c.content_key) c
WHERE c.words_from IS NULL OR c.ordinal < c.words_from
ON CONFLICT DO NOTHING

-- name: set_complete
-- Only a set that is still being built can take over; work on the fifth try is not given up yet. The past is not waited
-- for.
SELECT EXISTS (SELECT 1 FROM embedding_set WHERE embedding_set_id = %(set)s AND state = 'building')
   AND NOT EXISTS (SELECT 1 FROM vector_task WHERE embedding_set_id = %(set)s AND NOT past
                   AND (tries < 5 OR (leased_by IS NOT NULL AND lease_until > clock_timestamp()))) AS complete

-- name: set_retire_others
UPDATE embedding_set SET state = 'retired' WHERE state <> 'retired' AND embedding_set_id <> %(set)s

-- name: set_activate
UPDATE embedding_set SET state = 'active', activated_at = clock_timestamp() WHERE embedding_set_id = %(set)s

-- name: set_drop
SELECT drop_embedding_tables(%(set)s)

-- name: set_forget
DELETE FROM embedding_set WHERE embedding_set_id = %(set)s

-- name: sets_retired
-- Searches that began with the old set finish on it.
SELECT embedding_set_id FROM embedding_set WHERE state = 'retired'
  AND (SELECT max(activated_at) FROM embedding_set WHERE state = 'active')
      <= clock_timestamp() - %(grace)s * interval '1 second'

-- name: tasks_turn
-- One claim at a time, before the statement that looks what the others hold.
SELECT pg_advisory_xact_lock(4867005)

-- name: tasks_claim
-- What this worker still holds was lost with a connection. A text that another worker holds is left alone: its vector is
-- copied to all chunks of the same text and tenant once it is there. The subquery is a look-up per row, and not a join, for
-- which the planner would read the chunks of the whole queue. A superseded chunk without a text has it in the body, and what it
-- is called may be with its words.
WITH held AS MATERIALIZED (
    SELECT c.embed_hash, s.tenant
    FROM (SELECT source_id, chunk_id, leased_by FROM vector_task
          WHERE embedding_set_id = %(set)s AND NOT past AND lease_until > statement_timestamp()
          UNION ALL
          SELECT source_id, chunk_id, leased_by FROM vector_task
          WHERE embedding_set_id = %(set)s AND past AND lease_until > statement_timestamp()) t
    JOIN chunk c USING (source_id, chunk_id) JOIN source s USING (source_id)
    WHERE t.leased_by <> %(worker)s),
next AS MATERIALIZED (
    SELECT source_id, embedding_set_id, chunk_id FROM vector_task t
    WHERE embedding_set_id = %(set)s AND tries < 5 AND (lease_until < clock_timestamp() OR leased_by = %(worker)s)
      AND (%(source_ids)s::int[] IS NULL OR source_id = ANY (%(source_ids)s))
      AND (NOT EXISTS (SELECT 1 FROM held)
           OR (SELECT (c.embed_hash, s.tenant) NOT IN (SELECT h.embed_hash, h.tenant FROM held h)
               FROM chunk c JOIN source s USING (source_id)
               WHERE c.source_id = t.source_id AND c.chunk_id = t.chunk_id))
    ORDER BY past, lease_until, rank, chunk_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
UPDATE vector_task t SET leased_by = %(worker)s, lease_until = clock_timestamp() + %(lease)s * interval '1 second',
       tries = t.tries + 1
FROM next n, chunk c
WHERE t.source_id = n.source_id AND t.embedding_set_id = n.embedding_set_id AND t.chunk_id = n.chunk_id
  AND c.source_id = t.source_id AND c.chunk_id = t.chunk_id
RETURNING t.source_id, t.chunk_id, c.embed_hash,
          coalesce((SELECT w.context FROM chunk_terms_past w WHERE c.text_hash = '' AND w.source_id = c.source_id
                    AND w.chunk_id = c.content_key), c.context) AS context,
          CASE WHEN c.text <> '' OR c.valid_to = 'infinity' THEN c.text
               ELSE (SELECT substr(whole_body(r.body, r.body_from, r.source_id, r.revision_id),
                                   c.start_char + 1, c.end_char - c.start_char) FROM revision r
                     WHERE r.source_id = c.source_id AND r.revision_id = c.revision_id) END AS text

-- name: tasks_settle
-- Vectors count only for chunks still leased to this worker; one that was superseded since is leased to nobody. With each
-- settled chunk come the waiting ones of the same tenant with the same text. The offsets make it one look-up per row: the
-- planner, which often saw the queue empty, would compare all that waits with all chunks of one text.
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(%(source_ids)s::int[], %(chunk_ids)s::bigint[], %(vectors)s::text[])
        AS g (source_id, chunk_id, vector)),
done AS (
    DELETE FROM vector_task t USING given g
    WHERE t.source_id = g.source_id AND t.embedding_set_id = {set} AND t.chunk_id = g.chunk_id
      AND t.leased_by = %(worker)s
    RETURNING t.source_id, t.chunk_id, t.past, g.vector),
known AS (
    SELECT DISTINCT ON (c.embed_hash, s.tenant) c.embed_hash, s.tenant, d.source_id, d.chunk_id
    FROM done d JOIN chunk c USING (source_id, chunk_id) JOIN source s USING (source_id)),
twins AS (
    SELECT k.source_id, k.chunk_id, array_agg(t.source_id) AS twin_source_ids, array_agg(t.chunk_id) AS twin_chunk_ids
    FROM known k
    CROSS JOIN LATERAL (SELECT c.source_id, c.chunk_id FROM chunk c
                        WHERE c.embed_hash = k.embed_hash AND c.valid_to = 'infinity'
                        UNION ALL
                        SELECT c.source_id, c.chunk_id FROM chunk c
                        WHERE c.embed_hash = k.embed_hash AND c.valid_to < 'infinity' OFFSET 0) c
    CROSS JOIN LATERAL (SELECT t.source_id, t.chunk_id FROM vector_task t
                        WHERE t.source_id = c.source_id AND t.embedding_set_id = {set} AND t.chunk_id = c.chunk_id
                        OFFSET 0) t
    WHERE c.source_id IN (SELECT s.source_id FROM source s WHERE s.tenant = k.tenant)
      AND NOT EXISTS (SELECT 1 FROM given g WHERE g.source_id = t.source_id AND g.chunk_id = t.chunk_id)
    GROUP BY k.source_id, k.chunk_id),
living AS (
    INSERT INTO embedding_{set} (source_id, chunk_id, vector)
    SELECT source_id, chunk_id, vector::halfvec FROM done WHERE NOT past
    ON CONFLICT DO NOTHING),
past AS (
    INSERT INTO embedding_{set}_past (source_id, chunk_id, vector)
    SELECT source_id, chunk_id, vector::halfvec FROM done WHERE past
    ON CONFLICT DO NOTHING)
SELECT d.source_id, d.chunk_id, w.twin_source_ids, w.twin_chunk_ids
FROM done d LEFT JOIN twins w ON w.source_id = d.source_id AND w.chunk_id = d.chunk_id

-- name: twins_settle
-- Copies vectors to waiting chunks with the text of their chunk, so that a passage repeated over many pages or revisions is
-- embedded once. Without the vector (its chunk is gone) they go on waiting. No row before the last step carries a vector:
-- with them, those of one page took 130 MiB.
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(%(twin_source_ids)s::int[], %(twin_chunk_ids)s::bigint[], %(source_ids)s::int[],
                         %(chunk_ids)s::bigint[]) AS g (twin_source_id, twin_chunk_id, source_id, chunk_id)),
known AS MATERIALIZED (
    SELECT o.source_id, o.chunk_id, e.vector FROM (SELECT DISTINCT source_id, chunk_id FROM given) o
    CROSS JOIN LATERAL (SELECT v.vector FROM embedding_{set} v
                        WHERE v.source_id = o.source_id AND v.chunk_id = o.chunk_id
                        UNION ALL
                        SELECT v.vector FROM embedding_{set}_past v
                        WHERE v.source_id = o.source_id AND v.chunk_id = o.chunk_id
                        LIMIT 1) e),
twins AS MATERIALIZED (
    SELECT t.place, t.past, g.twin_source_id, g.twin_chunk_id, g.source_id, g.chunk_id
    FROM given g
    CROSS JOIN LATERAL (SELECT t.ctid AS place, t.past FROM vector_task t
                        WHERE t.source_id = g.twin_source_id AND t.embedding_set_id = {set}
                          AND t.chunk_id = g.twin_chunk_id
                        OFFSET 0 FOR UPDATE SKIP LOCKED) t
    WHERE (g.source_id, g.chunk_id) IN (SELECT k.source_id, k.chunk_id FROM known k)),
shared AS (DELETE FROM vector_task WHERE ctid = ANY(ARRAY(SELECT place FROM twins))),
living AS (
    INSERT INTO embedding_{set} (source_id, chunk_id, vector)
    SELECT w.twin_source_id, w.twin_chunk_id, k.vector FROM twins w JOIN known k USING (source_id, chunk_id)
    WHERE NOT w.past
    ON CONFLICT DO NOTHING
    RETURNING source_id),
past AS (
    INSERT INTO embedding_{set}_past (source_id, chunk_id, vector)
    SELECT w.twin_source_id, w.twin_chunk_id, k.vector FROM twins w JOIN known k USING (source_id, chunk_id)
    WHERE w.past
    ON CONFLICT DO NOTHING
    RETURNING source_id)
SELECT source_id, count(*) AS written FROM (SELECT * FROM living UNION ALL SELECT * FROM past) w GROUP BY source_id

-- name: tasks_park (repeatable)
-- Given up at once: what the model refused it will refuse again.
UPDATE vector_task SET leased_by = NULL, lease_until = clock_timestamp(), tries = 5, error = g.error
FROM unnest(%(source_ids)s::int[], %(chunk_ids)s::bigint[], %(errors)s::text[]) AS g (source_id, chunk_id, error)
WHERE vector_task.embedding_set_id = %(set)s AND vector_task.leased_by = %(worker)s
  AND vector_task.source_id = g.source_id AND vector_task.chunk_id = g.chunk_id

-- name: random_pairs_size
SELECT s.random_pairs_of, (SELECT count(*) FROM embedding_{set}) AS vectors
FROM embedding_set s WHERE s.embedding_set_id = {set}

-- name: random_pairs_measure
-- Quantiles of the cosines of random pairs: chunks of different pages with different texts, the same ones each time.
WITH picked AS MATERIALIZED (
    SELECT source_id, chunk_id FROM embedding_{set}
    ORDER BY hashint8extended(chunk_id, 4867), source_id, chunk_id LIMIT %(sample)s),
sample AS MATERIALIZED (
    SELECT e.source_id, e.chunk_id, e.vector, c.page_id, c.text_hash
    FROM picked p JOIN embedding_{set} e USING (source_id, chunk_id) JOIN chunk c USING (source_id, chunk_id))
SELECT count(*) AS pairs,
       percentile_disc(%(shares)s::float8[]) WITHIN GROUP (ORDER BY 1 - (a.vector <=> b.vector)) AS quantiles
FROM sample a JOIN sample b ON (a.source_id, a.chunk_id) < (b.source_id, b.chunk_id)
     AND (a.source_id, a.page_id) <> (b.source_id, b.page_id) AND a.text_hash <> b.text_hash

-- name: random_pairs_keep (repeatable)
UPDATE embedding_set SET random_pairs = %(quantiles)s::real[], random_pairs_of = %(vectors)s
WHERE embedding_set_id = %(set)s

-- name: tasks_release
UPDATE vector_task SET leased_by = NULL, lease_until = '2000-01-01 00:00:00+00', tries = greatest(tries - 1, 0)
WHERE leased_by = %(worker)s

-- name: tasks_waiting
SELECT count(*) AS waiting, count(*) FILTER (WHERE tries >= 5) AS parked FROM vector_task
WHERE embedding_set_id = %(set)s AND (%(source_ids)s::int[] IS NULL OR source_id = ANY (%(source_ids)s))

-- name: activity_note (repeatable, planned once)
INSERT INTO search_activity (server, at) VALUES (%(server)s, clock_timestamp())
ON CONFLICT (server) DO UPDATE SET at = excluded.at

-- name: activity_age
SELECT extract(epoch FROM clock_timestamp() - max(at))::float8 AS seconds FROM search_activity
