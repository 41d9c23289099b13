-- Tokens of people and programs without an identity provider. Only a digest is kept: a copy of the database opens nothing.
CREATE TABLE access_token (
    token_id    text PRIMARY KEY,
    name        text NOT NULL,
    digest      bytea NOT NULL UNIQUE,
    scopes      text[] NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at  timestamptz NOT NULL DEFAULT 'infinity',
    revoked_at  timestamptz
);

-- Other people can come over HTTP now. What was added for everyone at this machine is its owner's until it is granted.
UPDATE source_grant SET grantee = 'user:owner' WHERE grantee = 'everyone' AND reason = 'added on this machine';
