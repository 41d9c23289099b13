-- name: token_keep
INSERT INTO access_token (token_id, name, digest, scopes, created_at, expires_at)
VALUES (%(token_id)s, %(name)s, %(digest)s, %(scopes)s, %(now)s, coalesce(%(expires_at)s::timestamptz, 'infinity'))

-- name: token_living
SELECT name, scopes, nullif(expires_at, 'infinity') AS expires_at FROM access_token
WHERE digest = %(digest)s AND revoked_at IS NULL AND expires_at > %(now)s

-- name: tokens
SELECT token_id, name, scopes, created_at, nullif(expires_at, 'infinity') AS expires_at, revoked_at
FROM access_token ORDER BY name, created_at, token_id

-- name: token_revoke
UPDATE access_token SET revoked_at = %(now)s
WHERE (token_id = %(which)s OR name = %(which)s) AND revoked_at IS NULL
RETURNING token_id
