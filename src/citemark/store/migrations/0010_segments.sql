-- Words are kept in packed lists, by segments of many chunks, instead of a row for each word of each chunk.

-- Whoever folds or removes a source with the statements of before is waited for.
SELECT pg_advisory_xact_lock(4867002);

CREATE TABLE chunk_terms (
    source_id  int NOT NULL,
    chunk_id   bigint NOT NULL,
    length     smallint NOT NULL,
    terms      bytea NOT NULL,
    PRIMARY KEY (source_id, chunk_id),
    FOREIGN KEY (source_id, chunk_id) REFERENCES chunk (source_id, chunk_id) ON DELETE CASCADE
);
ALTER TABLE chunk_terms ALTER COLUMN terms SET STORAGE EXTERNAL;

CREATE TABLE chunk_delta (
    source_id      int NOT NULL,
    chunk_id       bigint NOT NULL,
    configuration  text NOT NULL,
    gone           boolean NOT NULL,
    length         smallint,
    terms          bytea,
    PRIMARY KEY (source_id, chunk_id)
);
ALTER TABLE chunk_delta ALTER COLUMN terms SET STORAGE EXTERNAL;

CREATE TABLE segment (
    source_id   int NOT NULL,
    segment_id  bigint GENERATED ALWAYS AS IDENTITY,
    chunks      int NOT NULL,
    chunk_ids   bigint[] NOT NULL,
    PRIMARY KEY (source_id, segment_id)
);

CREATE TABLE posting_list (
    source_id   int NOT NULL,
    segment_id  bigint NOT NULL,
    term_id     bigint NOT NULL,
    postings    bytea NOT NULL,
    PRIMARY KEY (source_id, segment_id, term_id)
);
ALTER TABLE posting_list ALTER COLUMN postings SET STORAGE EXTERNAL;

INSERT INTO chunk_terms (source_id, chunk_id, length, terms)
SELECT c.source_id, c.chunk_id, c.length, coalesce(t.terms, '')
FROM chunk c CROSS JOIN LATERAL (
    SELECT string_agg(int8send(hashtextextended(l.lexeme COLLATE "C", term_seed(c.source_id, c.configuration)))
                      || int2send(cardinality(l.positions)::smallint), ''::bytea) AS terms
    FROM unnest(c.lexemes) l) t
WHERE c.valid_to = 'infinity';

-- What ranking knew of words stays true: statistics are brought up to date, and every chunk stands in a segment when
-- this is done. Sixteen thousand chunks that were written one after the other are one.
INSERT INTO term_stat (source_id, term_id, df)
SELECT source_id, term_id, sum(df) FROM term_delta WHERE term_id <> 0 GROUP BY source_id, term_id
ON CONFLICT (source_id, term_id) DO UPDATE SET df = term_stat.df + excluded.df;
UPDATE source_stat s SET chunks = s.chunks + t.df, sum_length = s.sum_length + t.length
FROM (SELECT source_id, sum(df) AS df, sum(length) AS length FROM term_delta WHERE term_id = 0 GROUP BY source_id) t
WHERE t.source_id = s.source_id;
INSERT INTO lexicon_stat (source_id, configuration, chunks, sum_length)
SELECT source_id, coalesce(configuration, 'english'), sum(df), sum(length) FROM term_delta WHERE term_id = 0 GROUP BY 1, 2
ON CONFLICT (source_id, configuration) DO UPDATE
SET chunks = lexicon_stat.chunks + excluded.chunks, sum_length = lexicon_stat.sum_length + excluded.sum_length;
DROP TABLE term_delta;

CREATE TEMPORARY TABLE place ON COMMIT DROP AS
SELECT source_id, chunk_id, (row_number() OVER (PARTITION BY source_id ORDER BY chunk_id) - 1) / 16384 AS part FROM chunk_terms;
CREATE TEMPORARY TABLE part ON COMMIT DROP AS
SELECT source_id, part, row_number() OVER (ORDER BY source_id, part) AS number, count(*) AS chunks,
       array_agg(chunk_id ORDER BY chunk_id) AS chunk_ids
FROM place GROUP BY source_id, part;
INSERT INTO segment (source_id, segment_id, chunks, chunk_ids) OVERRIDING SYSTEM VALUE
SELECT source_id, number, chunks, chunk_ids FROM part;
SELECT setval(pg_get_serial_sequence('segment', 'segment_id'), (SELECT count(*) FROM part) + 1, false);
ANALYZE place;
ANALYZE part;
ANALYZE posting;
INSERT INTO posting_list (source_id, segment_id, term_id, postings)
SELECT l.source_id, p.number, q.term_id,
       string_agg(int8send(q.chunk_id) || int2send(q.tf) || int2send(q.length), ''::bytea)
FROM place l JOIN part p USING (source_id, part) JOIN posting q ON q.source_id = l.source_id AND q.chunk_id = l.chunk_id
GROUP BY l.source_id, p.number, q.term_id;

DROP TABLE posting;
