-- Posting lists in blocks (store/posting_blocks.py): a fifth of the bytes. Segments of earlier versions stay as they are until
-- they are merged or packed, which is done one at a time; servers of those versions do not know blocks, so none is written
-- while one is connected.
ALTER TABLE segment ADD COLUMN packed boolean NOT NULL DEFAULT false;

CREATE TABLE posting_block (
    source_id   int NOT NULL,
    segment_id  bigint NOT NULL,
    first_term  bigint NOT NULL,
    block       bytea NOT NULL,
    PRIMARY KEY (source_id, segment_id, first_term),
    FOREIGN KEY (source_id, segment_id) REFERENCES segment (source_id, segment_id) ON DELETE CASCADE
);
ALTER TABLE posting_block ALTER COLUMN block SET STORAGE EXTERNAL;

-- Whether a server of before schema 34 is connected, which does not know all forms of today. Such a one does not start any more
-- once the schema is newer than its own, and one that runs keeps its connections.
CREATE FUNCTION earlier_servers() RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'citemark');
