-- name: memory_load
SELECT value FROM scan_memory WHERE source_id = %(source_id)s AND key = %(key)s

-- name: memory_save (repeatable)
-- Nothing is kept for a source that was removed or switched off meanwhile.
INSERT INTO scan_memory (source_id, key, value)
SELECT source_id, %(key)s, %(value)s FROM source
WHERE source_id = %(source_id)s AND config -> 'sync' IS DISTINCT FROM 'false'::jsonb FOR KEY SHARE
ON CONFLICT (source_id, key) DO UPDATE SET value = excluded.value

-- name: secret_keep (repeatable)
INSERT INTO source_secret AS s (source_id, sealed) VALUES (%(source_id)s, %(sealed)s)
ON CONFLICT (source_id) DO UPDATE SET sealed = excluded.sealed, generation = s.generation + 1, refused = NULL,
       refused_at = NULL, refusals = 0, retry_at = NULL, trying_until = NULL

-- name: secrets
SELECT source_id, sealed FROM source_secret ORDER BY source_id

-- name: secret_reseal
UPDATE source_secret SET sealed = %(sealed)s WHERE source_id = %(source_id)s AND sealed = %(before)s RETURNING source_id

-- name: secret
SELECT sealed, generation, refused, retry_at, trying_until FROM source_secret WHERE source_id = %(source_id)s

-- name: secret_refuse (repeatable)
-- Whoever used an older generation says nothing of the one that is kept now, and of many requests at once the first counts.
UPDATE source_secret SET refused = %(reason)s, refused_at = %(now)s, refusals = %(refusals)s, retry_at = %(retry_at)s,
       trying_until = NULL
WHERE source_id = %(source_id)s AND generation = %(generation)s AND (refused IS NULL OR trying_until IS NOT NULL)

-- name: secrets_of_server
-- The credentials of all accounts on the server of one of them: their tries are counted together.
SELECT x.source_id, x.sealed, x.generation, x.refused, x.refused_at, x.refusals, x.retry_at, x.trying_until, x.tries
FROM source_secret x JOIN source s USING (source_id)
WHERE split_part(s.config ->> 'server', '/', 3) IS NOT DISTINCT FROM
      (SELECT split_part(o.config ->> 'server', '/', 3) FROM source o WHERE o.source_id = %(source_id)s)
ORDER BY x.source_id FOR UPDATE OF x

-- name: secret_try
UPDATE source_secret SET tries = %(tries)s::timestamptz[], trying_until = %(until)s WHERE source_id = %(source_id)s

-- name: secret_put_off
UPDATE source_secret SET retry_at = %(retry_at)s WHERE source_id = %(source_id)s

-- name: secret_tried (repeatable)
-- The end of a try that was not refused: the password is accepted, or the server said nothing about it.
UPDATE source_secret SET trying_until = NULL, tries = trim_array(tries, least(1, cardinality(tries))),
       refused = CASE WHEN NOT %(accepted)s THEN refused END,
       retry_at = CASE WHEN NOT %(accepted)s THEN %(retry_at)s::timestamptz END
WHERE source_id = %(source_id)s AND generation = %(generation)s AND trying_until IS NOT NULL
