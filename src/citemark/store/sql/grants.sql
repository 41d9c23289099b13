-- name: grant_add
INSERT INTO source_grant (source_id, grantee, reason)
SELECT source_id, %(grantee)s, %(reason)s FROM source WHERE source_id = %(source_id)s
ON CONFLICT (source_id, grantee) DO NOTHING

-- name: grant_remove
DELETE FROM source_grant WHERE source_id = %(source_id)s AND grantee = %(grantee)s RETURNING grantee

-- name: grants
SELECT grantee, reason FROM source_grant WHERE source_id = %(source_id)s ORDER BY grantee
