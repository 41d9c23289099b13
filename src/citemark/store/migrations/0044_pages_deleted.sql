-- Deleting a page looked through all chunks and all relationships of its source, for nothing but what is at HEAD is found by its
-- page. Chunks go with their revision and relationships with the document that states them, which go with the page.
ALTER TABLE chunk DROP CONSTRAINT chunk_source_id_page_id_fkey;
ALTER TABLE relationship DROP CONSTRAINT relationship_source_id_page_id_fkey;

-- The name of what a link leads to, as links may write it: without its folders and its suffix, in small letters.
CREATE FUNCTION linked_name(to_native_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(split_part(split_part(split_part(to_native_id, '#', 1), '/', -1), '.', 1));
CREATE INDEX relationship_name ON relationship (source_id, linked_name(to_native_id))
    WHERE type = 'links_to' AND to_native_id IS NOT NULL AND valid_to = 'infinity';

-- What is deleted with a chunk or a baseline is found by it. Before version 18, PostgreSQL would look through all tasks of a source.
ALTER TABLE vector_task DROP CONSTRAINT vector_task_pkey, ADD PRIMARY KEY (source_id, chunk_id, embedding_set_id);
CREATE INDEX baseline_source_baseline ON baseline_source (baseline_id);
