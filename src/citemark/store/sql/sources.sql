-- name: source_columns (columns)
s.source_id, s.tenant, s.name, s.kind, s.config, s.project_id, s.environment, s.repository, s.tags, s.language,
s.detects_language, s.former_names, s.paused, s.about

-- name: source_add
INSERT INTO source (tenant, name, kind, config, project_id, environment, repository, tags, about, language,
                    keep_history, detects_language)
SELECT %(tenant)s, %(name)s, %(kind)s, %(config)s, %(project_id)s, %(environment)s, %(repository)s, %(tags)s, %(about)s,
       %(language)s, %(keep_history)s, %(detects_language)s
WHERE NOT EXISTS (SELECT 1 FROM source o WHERE o.tenant = %(tenant)s AND %(name)s = ANY(o.former_names))
ON CONFLICT (tenant, name) DO NOTHING
RETURNING source_id

-- name: source_prepare
-- As if renames had been looked for just now: whatever comes may be half of one.
WITH g AS (INSERT INTO source_grant (source_id, grantee, reason) VALUES (%(source_id)s, %(grantee)s, %(reason)s)),
     n AS (INSERT INTO scan (source_id, renames_until)
           VALUES (%(source_id)s, clock_timestamp() - interval '1 minute'))
INSERT INTO source_stat (source_id) VALUES (%(source_id)s)

-- name: sources (planned once)
SELECT {source_columns} FROM source s WHERE s.tenant = %(tenant)s ORDER BY s.name

-- name: source_change
-- Nothing where another source has the name, or had it: citations that say it must mean one source.
UPDATE source s SET name = %(name)s, config = %(config)s, project_id = %(project_id)s, environment = %(environment)s,
                    repository = %(repository)s, tags = %(tags)s, about = %(about)s,
                    former_names = %(former_names)s
WHERE s.source_id = %(source_id)s
  AND NOT EXISTS (SELECT 1 FROM source o WHERE o.tenant = s.tenant AND o.source_id <> s.source_id
                  AND (o.name = %(name)s OR %(name)s = ANY(o.former_names)))
RETURNING s.source_id

-- name: source_pause (repeatable)
UPDATE source SET paused = true WHERE source_id = %(source_id)s

-- name: source_resume (repeatable)
WITH s AS (UPDATE source SET paused = false WHERE source_id = %(source_id)s RETURNING source_id)
UPDATE scan SET wanted = true WHERE source_id IN (SELECT source_id FROM s)

-- name: source_hold
-- Whoever writes rows of a source holds it first; its removal waits for them and lets nobody follow. An account that was
-- switched off takes no more rows either.
SELECT source_id FROM source WHERE source_id = %(source_id)s AND config -> 'sync' IS DISTINCT FROM 'false'::jsonb
FOR KEY SHARE

-- name: source_lock
SELECT source_id FROM source WHERE source_id = %(source_id)s FOR UPDATE

-- name: source_remove_tasks
-- First of all: a worker that is storing vectors of these chunks finishes before, or finds nothing after.
DELETE FROM vector_task WHERE source_id = %(source_id)s

-- name: source_remove_terms
WITH past AS (DELETE FROM chunk_terms_past WHERE source_id = %(source_id)s)
DELETE FROM chunk_terms WHERE source_id = %(source_id)s

-- name: source_remove_statistics
WITH d AS (DELETE FROM chunk_delta WHERE source_id = %(source_id)s),
     p AS (DELETE FROM posting_list WHERE source_id = %(source_id)s),
     s AS (DELETE FROM segment WHERE source_id = %(source_id)s),
     w AS (DELETE FROM work_done WHERE source_id = %(source_id)s),
     l AS (DELETE FROM lexicon_stat WHERE source_id = %(source_id)s)
DELETE FROM term_stat WHERE source_id = %(source_id)s

-- name: source_remove_vectors
WITH now AS (DELETE FROM embedding_{set} WHERE source_id = %(source_id)s)
DELETE FROM embedding_{set}_past WHERE source_id = %(source_id)s

-- name: source_remove
DELETE FROM source WHERE source_id = %(source_id)s RETURNING source_id

-- name: allowed_sources (planned once)
-- The sources that a question may touch: a row for each language of each, with the size of what it holds and with how far
-- it has been read. Queues and problems are counted up to a limit, because every question counts them. The order is that of
-- item_waiting: the planner believes that nearly every item waits, and would read them all to find that none does.
WITH mine AS MATERIALIZED (
    SELECT {source_columns}, c.listed, w.waiting, w.changed, w.failing, p.texts, p.scans,
           c.wanted OR c.last_complete_at IS NULL OR c.reason <> '' AS unlisted,
           EXISTS (SELECT 1 FROM chunk_delta d WHERE d.source_id = s.source_id AND NOT d.gone) AS unflushed,
           EXISTS (SELECT 1 FROM source_secret x WHERE x.source_id = s.source_id AND x.refused IS NOT NULL) AS refused
    FROM source s JOIN scan c USING (source_id)
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE i.indexed_version IS NULL) AS waiting, count(i.indexed_version) AS changed,
               count(i.error) AS failing
        FROM (SELECT i.indexed_version, i.error FROM item i
              WHERE i.source_id = s.source_id AND i.wanted_version IS DISTINCT FROM i.indexed_version AND NOT i.parked
              ORDER BY i.retry_at, i.native_id LIMIT %(counted)s + 1) i) w
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE p.stage = 'text') AS texts, count(*) FILTER (WHERE p.stage = 'scan') AS scans
        FROM (SELECT p.stage FROM problem p WHERE p.source_id = s.source_id LIMIT %(counted)s + 1) p) p
    WHERE s.tenant = %(tenant)s AND (s.project_id IS NULL OR s.project_id = %(project_id)s)
      AND EXISTS (SELECT 1 FROM source_grant g WHERE g.source_id = s.source_id AND g.grantee = ANY(%(grantees)s))
      AND (%(environment)s::text IS NULL OR s.environment = %(environment)s)
      AND (%(doc_tags)s::text[] = '{}' OR s.tags && %(doc_tags)s::text[])
      AND (%(repositories)s::text[] = '{}' OR s.repository = ANY(%(repositories)s::text[]))
      AND (%(kind)s::text IS NULL OR s.kind = %(kind)s)
      AND (%(source)s::text IS NULL OR s.name = %(source)s OR %(source)s = ANY(s.former_names)))
SELECT m.*, l.configuration, l.chunks, l.sum_length, term_seed(l.source_id, l.configuration) AS seed
FROM mine m LEFT JOIN lexicon_stat l ON l.source_id = m.source_id AND l.chunks > 0
ORDER BY m.source_id, l.configuration

-- name: problem_report (repeatable)
INSERT INTO problem (source_id, native_id, stage, message)
SELECT s.source_id, n, %(stage)s, m
FROM (SELECT source_id FROM source WHERE source_id = %(source_id)s
        AND config -> 'sync' IS DISTINCT FROM 'false'::jsonb FOR KEY SHARE) s,
     unnest(%(native_ids)s::text[], %(messages)s::text[]) AS p (n, m)
ON CONFLICT (source_id, native_id, stage) DO UPDATE SET message = excluded.message, seen_at = clock_timestamp()

-- name: problem_clear (repeatable)
DELETE FROM problem WHERE source_id = %(source_id)s AND stage = %(stage)s
  AND (%(native_ids)s::text[] IS NULL OR native_id = ANY(%(native_ids)s::text[]))

-- name: problems
SELECT native_id, stage, message, seen_at FROM problem WHERE source_id = %(source_id)s
ORDER BY native_id, stage LIMIT %(limit)s

-- name: notices
-- Documents that are read, but not whole or not as plain UTF-8: their metadata says how.
SELECT d.native_id, r.metadata, r.valid_from
FROM document d JOIN revision r ON r.source_id = d.source_id AND r.document_id = d.document_id AND r.valid_to = 'infinity'
WHERE d.source_id = %(source_id)s AND d.page_id IS NULL AND d.valid_to = 'infinity'
  AND r.metadata ?| %(keys)s::text[]
ORDER BY d.native_id LIMIT %(limit)s
