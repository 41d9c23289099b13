-- A refused password is tried again: when by itself, until when one process is trying it, and the refused tries of a day.
ALTER TABLE source_secret
    ADD COLUMN refused_at timestamptz,
    ADD COLUMN refusals int NOT NULL DEFAULT 0,
    ADD COLUMN retry_at timestamptz,
    ADD COLUMN trying_until timestamptz,
    ADD COLUMN tries timestamptz[] NOT NULL DEFAULT '{}';
