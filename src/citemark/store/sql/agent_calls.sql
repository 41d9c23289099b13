-- name: agent_call_keep
-- Nothing where a cited source is gone. Sources are held while their rows are written, so that a removal finds these.
WITH s AS MATERIALIZED (
         SELECT source_id, name, former_names FROM source
         WHERE tenant = %(tenant)s
           AND (%(of_any)s OR name = ANY(%(sources)s::text[]) OR former_names && %(sources)s::text[])
         ORDER BY source_id FOR KEY SHARE),
     c AS (INSERT INTO agent_call (tenant, asked_at, principal, tool, question, phrasings, limits, outcome, hits, cited,
                                   bytes, seconds, withheld, notes)
           SELECT %(tenant)s, %(asked_at)s, %(principal)s, %(tool)s, %(question)s, %(phrasings)s, %(limits)s, %(outcome)s,
                  %(hits)s, %(cited)s, %(bytes)s, %(seconds)s, %(withheld)s, %(notes)s
           WHERE NOT EXISTS (SELECT 1 FROM unnest(%(sources)s::text[]) n (name)
                             WHERE NOT EXISTS (SELECT 1 FROM s WHERE s.name = n.name OR n.name = ANY(s.former_names)))
             AND (NOT %(of_any)s OR EXISTS (SELECT 1 FROM s))
           RETURNING call_id),
     l AS (INSERT INTO agent_call_source (source_id, call_id) SELECT s.source_id, c.call_id FROM s, c)
SELECT call_id FROM c

-- name: agent_calls
SELECT call_id, asked_at, principal, tool, question, phrasings, limits, outcome, hits, cited, bytes, seconds, withheld, notes
FROM agent_call
WHERE tenant = %(tenant)s AND asked_at >= %(since)s AND (%(before)s::bigint IS NULL OR call_id < %(before)s)
ORDER BY call_id DESC LIMIT %(limit)s

-- name: agent_calls_forget
DELETE FROM agent_call WHERE tenant = %(tenant)s AND (%(before)s::timestamptz IS NULL OR asked_at < %(before)s)
RETURNING call_id

-- name: source_remove_calls
-- What agents were told from a source, and what they asked to be told it.
DELETE FROM agent_call WHERE call_id IN (SELECT call_id FROM agent_call_source WHERE source_id = %(source_id)s)
