-- Superseded chunks of a page with the same content share their words and vectors: those are kept by content, not by chunk.
-- Chunks that are there already keep theirs by their own ids.
CREATE FUNCTION content_key(page_id bigint, configuration text, embed_hash bytea, terms bytea, copy int) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN -1 - (hashtextextended(concat_ws(' ', configuration, encode(embed_hash, 'hex'), encode(sha256(terms), 'hex'), copy)
                              COLLATE "C", page_id) & 4611686018427387903);

ALTER TABLE chunk ADD COLUMN content_key bigint;
CREATE INDEX chunk_content ON chunk (source_id, content_key) WHERE content_key IS NOT NULL;
DROP INDEX chunk_revision;
CREATE INDEX chunk_revision ON chunk (source_id, revision_id) INCLUDE (chunk_id, page_id, length, configuration, content_key);
ALTER TABLE chunk_terms_past DROP CONSTRAINT chunk_terms_past_source_id_chunk_id_fkey;
