-- A section belongs to its page: pages of different types may have the same id, and so may their sections. A page whose text
-- was put into sections of another page is read again.

ALTER TABLE document DROP CONSTRAINT document_source_id_doc_type_native_id_valid_to_key;
ALTER TABLE document ADD UNIQUE NULLS NOT DISTINCT (source_id, doc_type, native_id, valid_to, page_id);

WITH mixed AS MATERIALIZED (
    SELECT DISTINCT c.source_id, c.page_id
    FROM chunk c LEFT JOIN document d ON d.source_id = c.source_id AND d.document_id = c.document_id
    WHERE c.valid_to = 'infinity' AND c.document_id <> c.page_id AND d.page_id IS DISTINCT FROM c.page_id),
revisions AS (
    UPDATE revision r SET text_version = 0 FROM mixed m
    WHERE r.source_id = m.source_id AND r.document_id = m.page_id AND r.valid_to = 'infinity')
UPDATE item i SET text_version = 0
FROM mixed m JOIN document p ON p.source_id = m.source_id AND p.document_id = m.page_id
WHERE i.source_id = p.source_id AND i.doc_type = p.doc_type AND i.native_id = p.native_id;
