-- name: shared_key_offer (repeatable)
-- Whoever comes first makes it; the others take what is there.
INSERT INTO shared_key (purpose, secret) VALUES (%(purpose)s, %(secret)s) ON CONFLICT (purpose) DO NOTHING

-- name: shared_key
SELECT secret FROM shared_key WHERE purpose = %(purpose)s
