-- The past can be asked: what superseded chunks say in words is kept and found, states have names, history has an end.

CREATE TABLE chunk_terms_past (
    source_id  int NOT NULL,
    chunk_id   bigint NOT NULL,
    length     smallint NOT NULL,
    terms      bytea NOT NULL,
    PRIMARY KEY (source_id, chunk_id),
    FOREIGN KEY (source_id, chunk_id) REFERENCES chunk (source_id, chunk_id) ON DELETE CASCADE
);
ALTER TABLE chunk_terms_past ALTER COLUMN terms SET STORAGE EXTERNAL;

CREATE TABLE chunk_delta_past (
    source_id  int NOT NULL,
    chunk_id   bigint NOT NULL,
    PRIMARY KEY (source_id, chunk_id),
    FOREIGN KEY (source_id, chunk_id) REFERENCES chunk_terms_past (source_id, chunk_id) ON DELETE CASCADE
);

INSERT INTO chunk_terms_past (source_id, chunk_id, length, terms)
SELECT c.source_id, c.chunk_id, c.length, coalesce(t.terms, '')
FROM chunk c CROSS JOIN LATERAL (
    SELECT string_agg(int8send(hashtextextended(l.lexeme COLLATE "C", term_seed(c.source_id, c.configuration)))
                      || int2send(cardinality(l.positions)::smallint), ''::bytea) AS terms
    FROM unnest(c.lexemes) l) t
WHERE c.valid_to < 'infinity';
INSERT INTO chunk_delta_past (source_id, chunk_id) SELECT source_id, chunk_id FROM chunk_terms_past;
UPDATE chunk SET lexemes = '' WHERE valid_to < 'infinity';

ALTER TABLE segment ADD COLUMN past boolean NOT NULL DEFAULT false;

ALTER TABLE vector_task ADD COLUMN past boolean NOT NULL DEFAULT false;
DROP INDEX vector_task_waiting;
CREATE INDEX vector_task_waiting ON vector_task (embedding_set_id, past, lease_until, chunk_id);

DROP INDEX chunk_revision;
CREATE INDEX chunk_revision ON chunk (source_id, revision_id) INCLUDE (chunk_id, page_id, length, configuration);
CREATE INDEX chunk_embed_hash_past ON chunk (embed_hash) WHERE valid_to < 'infinity';
CREATE INDEX revision_lived ON revision (source_id, valid_to, valid_from) INCLUDE (revision_id);

ALTER TABLE source ADD COLUMN history_days int DEFAULT 90 CHECK (history_days >= 0);
ALTER TABLE source ADD COLUMN history_from timestamptz NOT NULL DEFAULT '-infinity';

CREATE TABLE baseline (
    baseline_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant       text NOT NULL,
    name         text NOT NULL,
    at           timestamptz NOT NULL,
    made_at      timestamptz NOT NULL,
    UNIQUE (tenant, name)
);

CREATE TABLE baseline_source (
    source_id    int NOT NULL REFERENCES source ON DELETE CASCADE,
    baseline_id  bigint NOT NULL REFERENCES baseline ON DELETE CASCADE,
    commit_id    text,
    PRIMARY KEY (source_id, baseline_id)
);

ALTER TABLE passage ADD COLUMN read_at timestamptz;
ALTER TABLE passage ADD COLUMN as_of timestamptz;
ALTER TABLE passage ADD COLUMN baseline text;

CREATE SEQUENCE page_written;
