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
ON CONFLICT (source_id) DO UPDATE SET sealed = excluded.sealed, generation = s.generation + 1, refused = NULL

-- name: secrets
SELECT source_id, sealed FROM source_secret ORDER BY source_id

-- name: secret_reseal
UPDATE source_secret SET sealed = %(sealed)s WHERE source_id = %(source_id)s AND sealed = %(before)s RETURNING source_id

-- name: secret
SELECT sealed, generation, refused FROM source_secret WHERE source_id = %(source_id)s

-- name: secret_refuse (repeatable)
-- Whoever used an older generation says nothing of the one that is kept now.
UPDATE source_secret SET refused = %(reason)s
WHERE source_id = %(source_id)s AND generation = %(generation)s AND refused IS NULL
