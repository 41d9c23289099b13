-- Mentions: the names by which documents are known, how far each source's pages were linked to them, and the plain words
-- that too many pages of a source use.

CREATE SEQUENCE known_name_number;

CREATE TABLE known_name (
    source_id  int NOT NULL REFERENCES source ON DELETE CASCADE,
    name       text NOT NULL,
    forms      text[] NOT NULL,
    number     bigint NOT NULL,
    PRIMARY KEY (source_id, name)
);
CREATE INDEX known_name_new ON known_name (source_id, number);

CREATE TABLE mention_state (
    source_id     int PRIMARY KEY REFERENCES source ON DELETE CASCADE,
    wanted        bigint NOT NULL DEFAULT 0,
    linked        bigint NOT NULL DEFAULT 0,
    reached       bigint NOT NULL DEFAULT 0,
    last          bigint NOT NULL DEFAULT 0,
    name_sources  int[] NOT NULL DEFAULT '{}',
    noted_at      timestamptz NOT NULL DEFAULT '-infinity',
    due_at        timestamptz NOT NULL DEFAULT '-infinity',
    leased_by     text,
    lease_until   timestamptz NOT NULL DEFAULT '-infinity'
);

CREATE TABLE common_name (
    source_id  int NOT NULL REFERENCES source ON DELETE CASCADE,
    to_key     bigint NOT NULL,
    PRIMARY KEY (source_id, to_key)
);

CREATE INDEX relationship_plain ON relationship (source_id, to_key)
    WHERE type = 'mentions' AND metadata <> '{}' AND valid_to = 'infinity';
