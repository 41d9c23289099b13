-- A section that a page goes on having under the same title and path stays one row, which remembers where it stood before. Rows
-- that are there are as if they had never stood elsewhere.
ALTER TABLE section ADD COLUMN revision_ids_before bigint[], ADD COLUMN start_chars_before int[], ADD COLUMN end_chars_before int[];
DROP INDEX section_document;
CREATE INDEX section_document ON section (source_id, document_id, revision_id);

-- Whether a row that is, or was, of these revisions is of a revision.
CREATE FUNCTION is_of(wanted bigint, revision_id bigint, revision_ids_before bigint[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN wanted = revision_id OR wanted = ANY(revision_ids_before);
