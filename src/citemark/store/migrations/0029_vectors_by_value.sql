-- The place of a chunk in the queue for vectors, by its value: the first passage of every document; the rest of short ones, of
-- recent ones, and of long ones in turn; text that repeats a pattern, such as a log.
CREATE FUNCTION vector_rank(ordinal int, chunks bigint, recent boolean, repeats boolean) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ordinal = 0 THEN 0 WHEN repeats THEN 20000 + least(ordinal, 10000) WHEN chunks <= 20 THEN 1
            WHEN recent AND chunks <= 100 THEN 2 ELSE 2 + least(ordinal, 10000) END;

-- From which chunk on a revision that repeats a pattern is found by its words only; null for all others.
ALTER TABLE revision ADD COLUMN words_from int;
ALTER TABLE vector_task ADD COLUMN rank int NOT NULL DEFAULT 1;
DROP INDEX vector_task_waiting;
CREATE INDEX vector_task_waiting ON vector_task (embedding_set_id, past, lease_until, rank, chunk_id);
CREATE INDEX vector_task_first ON vector_task (source_id, embedding_set_id) WHERE rank = 0 AND NOT past;
