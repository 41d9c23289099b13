-- What superseded chunks of a page with the same content have in common is kept with their words. Chunks that are there already keep
-- theirs. What a state is counted from is in an index for the chunks at HEAD only: entries that hold more than a key are never
-- kept together, and a superseded chunk had 72 bytes there.
ALTER TABLE chunk_terms_past ADD COLUMN context text, ADD COLUMN text_hash bytea;
DROP INDEX chunk_page;
CREATE INDEX chunk_page ON chunk (source_id, page_id) INCLUDE (chunk_id, length, configuration, content_key)
    WHERE valid_to = 'infinity';
DROP INDEX chunk_revision;
CREATE INDEX chunk_revision ON chunk (source_id, revision_id);
-- Nothing has looked for revisions by their hash since renames are settled by what documents say.
DROP INDEX revision_content;
