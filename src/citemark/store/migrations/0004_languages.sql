-- Each document has a language; words and their counts are kept apart by the configuration that read them.

-- What seeds the ids of a lexicon's terms. English keeps the seed that all had before.
CREATE FUNCTION term_seed(source_id int, configuration text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN configuration = 'english' THEN source_id ELSE hashtextextended(configuration COLLATE "C", source_id) END;

ALTER TABLE source ADD COLUMN detects_language boolean NOT NULL DEFAULT true;
UPDATE source SET detects_language = false WHERE language <> 'english';

ALTER TABLE chunk
    ADD COLUMN language       text NOT NULL DEFAULT 'english',
    ADD COLUMN configuration  text NOT NULL DEFAULT 'english';
UPDATE chunk c SET language = s.language, configuration = s.language
FROM source s WHERE s.source_id = c.source_id AND s.language <> 'english';

ALTER TABLE term_delta ADD COLUMN configuration text;
UPDATE term_delta d SET configuration = s.language FROM source s WHERE s.source_id = d.source_id AND d.term_id = 0;

CREATE TABLE lexicon_stat (
    source_id      int NOT NULL,
    configuration  text NOT NULL,
    chunks         bigint NOT NULL,
    sum_length     bigint NOT NULL,
    PRIMARY KEY (source_id, configuration)
);
INSERT INTO lexicon_stat (source_id, configuration, chunks, sum_length)
SELECT s.source_id, s.language, t.chunks, t.sum_length FROM source s JOIN source_stat t USING (source_id)
WHERE t.chunks > 0;

-- Sources in another language than English get the new ids.
DELETE FROM posting p USING source s WHERE s.source_id = p.source_id AND s.language <> 'english';
DELETE FROM term_stat p USING source s WHERE s.source_id = p.source_id AND s.language <> 'english';
DELETE FROM term_delta d USING source s WHERE s.source_id = d.source_id AND s.language <> 'english' AND d.term_id <> 0;
INSERT INTO posting (source_id, term_id, chunk_id, tf, length)
SELECT c.source_id, hashtextextended(l.lexeme COLLATE "C", term_seed(c.source_id, c.configuration)), c.chunk_id,
       cardinality(l.positions), c.length
FROM chunk c JOIN source s USING (source_id) CROSS JOIN LATERAL unnest(c.lexemes) l
WHERE c.valid_to = 'infinity' AND s.language <> 'english'
ORDER BY 2;
INSERT INTO term_stat (source_id, term_id, df)
SELECT p.source_id, p.term_id, count(*) FROM posting p JOIN source s USING (source_id)
WHERE s.language <> 'english' GROUP BY p.source_id, p.term_id;

-- No source gives this version: every text is read once more, and those in other languages than assumed are written anew.
UPDATE item SET indexed_version = '' WHERE indexed_version IS NOT NULL AND wanted_version IS NOT NULL
  AND source_id IN (SELECT source_id FROM source WHERE detects_language);
