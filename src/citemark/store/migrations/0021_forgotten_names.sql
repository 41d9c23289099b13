-- Names go with the documents that have them also where no history is kept: no revision tells there that some were deleted.

ALTER TABLE mention_state ADD COLUMN deleted_at timestamptz NOT NULL DEFAULT '-infinity';
UPDATE mention_state SET deleted_at = clock_timestamp();

DELETE FROM known_name k WHERE NOT EXISTS (SELECT 1 FROM document d WHERE d.source_id = k.source_id);
DELETE FROM common_name n WHERE NOT EXISTS (SELECT 1 FROM document d WHERE d.source_id = n.source_id);
