-- One graph: what a relationship leads to is found from both of its ends, and may be an entity, which is no document.

-- The key of a node. Nodes of one source (documents, sections, folders) are hashed with its id; entities, which sources
-- share (terms, names in code, labels, people, addresses), with 0.
CREATE FUNCTION node_key(source_id int, kind text, name text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended((kind || E'\x1f' || name) COLLATE "C", source_id);

ALTER TABLE relationship ADD COLUMN to_kind text, ADD COLUMN to_name text, ADD COLUMN to_key bigint;
ALTER TABLE relationship DROP CONSTRAINT relationship_check1;
ALTER TABLE relationship ADD CONSTRAINT relationship_check1 CHECK (num_nonnulls(to_native_id, to_url, to_name) > 0);

WITH targets AS (
    SELECT x.source_id, x.relationship_id,
           CASE WHEN x.to_native_id IS NULL THEN CASE WHEN x.to_url LIKE 'mailto:%' THEN 'person' ELSE 'url' END
                WHEN x.type = 'contains' THEN 'section'
                WHEN x.to_native_id LIKE d.native_id || '#%' THEN 'section'
                ELSE coalesce(x.metadata ->> 'doc_type', d.doc_type) END AS kind,
           CASE WHEN x.to_native_id IS NULL THEN regexp_replace(x.to_url, '^mailto:', '')
                WHEN x.type = 'contains' OR x.to_native_id LIKE d.native_id || '#%' THEN x.to_native_id
                ELSE split_part(x.to_native_id, '#', 1) END AS name
    FROM relationship x JOIN document d ON d.source_id = x.source_id AND d.document_id = x.page_id
    WHERE x.type <> 'succeeds')
UPDATE relationship x
SET to_kind = t.kind, to_key = node_key(CASE WHEN x.to_native_id IS NULL THEN 0 ELSE x.source_id END, t.kind, t.name),
    type = CASE WHEN x.type = 'links_to' AND x.to_native_id IS NULL THEN 'references' ELSE x.type END
FROM targets t WHERE t.source_id = x.source_id AND t.relationship_id = x.relationship_id;

DROP INDEX relationship_target;
CREATE INDEX relationship_target ON relationship (source_id, to_native_id) WHERE type = 'succeeds';
CREATE INDEX relationship_to ON relationship (to_key, source_id) WHERE to_key IS NOT NULL;
