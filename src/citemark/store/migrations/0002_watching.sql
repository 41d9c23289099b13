-- Who follows a source's changes, and by what means.

ALTER TABLE scan
    ADD COLUMN watched_by     text,
    ADD COLUMN watched_until  timestamptz,
    ADD COLUMN watching       text NOT NULL DEFAULT '';
