-- Sections of a page that several commits share were those of the first one only. Commits are recorded in the year 100.

UPDATE document d SET valid_to = p.valid_to FROM document p
WHERE p.source_id = d.source_id AND p.document_id = d.page_id AND p.valid_to < '1900-01-01' AND d.valid_to < p.valid_to;
