-- (on replicas)
-- name: changed_documents
-- Pages that differ between the states of two moments, by source and native id, with how many there are in all. Revisions
-- that hold at both moments are the same and are left out first. A page that took over from one that went is renamed: it is
-- said once, under its new name. Laterals fix the order of the joins, because what was just read has no statistics.
WITH a AS MATERIALIZED (
    SELECT r.source_id, d.doc_type, d.native_id, r.revision_id, r.content_hash, r.version, r.title, r.url
    FROM revision r
    CROSS JOIN LATERAL (SELECT d.doc_type, d.native_id FROM document d
        WHERE d.source_id = r.source_id AND d.document_id = r.document_id OFFSET 0) d
    WHERE r.source_id = ANY(%(source_ids)s::int[]) AND r.valid_from <= %(before)s AND r.valid_to > %(before)s
      AND NOT (r.valid_from <= %(after)s AND r.valid_to > %(after)s)
      AND (%(doc_types)s::text[] = '{}' OR d.doc_type = ANY(%(doc_types)s::text[]))
      AND (%(path_prefixes)s::text[] = '{}' OR EXISTS (SELECT 1 FROM unnest(%(path_prefixes)s::text[]) prefix
           WHERE starts_with(normalize(coalesce(r.metadata ->> %(path_key)s::text, d.native_id)), normalize(prefix))))),
b AS MATERIALIZED (
    SELECT r.source_id, d.doc_type, d.native_id, r.document_id, r.revision_id, r.content_hash, r.version, r.title, r.url
    FROM revision r
    CROSS JOIN LATERAL (SELECT d.doc_type, d.native_id FROM document d
        WHERE d.source_id = r.source_id AND d.document_id = r.document_id OFFSET 0) d
    WHERE r.source_id = ANY(%(source_ids)s::int[]) AND r.valid_from <= %(after)s AND r.valid_to > %(after)s
      AND NOT (r.valid_from <= %(before)s AND r.valid_to > %(before)s)
      AND (%(doc_types)s::text[] = '{}' OR d.doc_type = ANY(%(doc_types)s::text[]))
      AND (%(path_prefixes)s::text[] = '{}' OR EXISTS (SELECT 1 FROM unnest(%(path_prefixes)s::text[]) prefix
           WHERE starts_with(normalize(coalesce(r.metadata ->> %(path_key)s::text, d.native_id)), normalize(prefix))))),
differing AS MATERIALIZED (
    SELECT source_id, doc_type, native_id, b.document_id, a.revision_id AS old_revision, a.version AS old_version,
           a.title AS old_title, a.url AS old_url, b.revision_id AS new_revision, b.version AS new_version,
           b.title AS new_title, b.url AS new_url
    FROM a FULL JOIN b USING (source_id, doc_type, native_id)
    WHERE a.content_hash IS DISTINCT FROM b.content_hash),
succeeding AS MATERIALIZED (
    SELECT DISTINCT ON (n.source_id, n.doc_type, x.to_native_id)
           n.source_id, n.doc_type, n.native_id, x.to_native_id AS old_id
    FROM differing n
    CROSS JOIN LATERAL (SELECT x.to_native_id FROM relationship x
        WHERE x.source_id = n.source_id AND x.from_document_id = n.document_id AND x.type = 'succeeds' OFFSET 0) x
    WHERE n.old_revision IS NULL
    ORDER BY n.source_id, n.doc_type, x.to_native_id, n.native_id),
renamed AS MATERIALIZED (
    SELECT s.source_id, s.doc_type, s.native_id, s.old_id, o.old_revision, o.old_version, o.old_title, o.old_url
    FROM succeeding s JOIN differing o
         ON o.source_id = s.source_id AND o.doc_type = s.doc_type AND o.native_id = s.old_id AND o.new_revision IS NULL),
said AS (
    SELECT d.source_id, d.doc_type, d.native_id, coalesce(r.old_id, d.native_id) AS old_id,
           coalesce(r.old_revision, d.old_revision) AS old_revision, coalesce(r.old_version, d.old_version) AS old_version,
           coalesce(r.old_title, d.old_title) AS old_title, coalesce(r.old_url, d.old_url) AS old_url,
           d.new_revision, d.new_version, d.new_title, d.new_url,
           CASE WHEN r.old_id IS NOT NULL THEN 'renamed' WHEN d.old_revision IS NULL THEN 'added'
                WHEN d.new_revision IS NULL THEN 'removed' ELSE 'changed' END AS change
    FROM differing d LEFT JOIN renamed r USING (source_id, doc_type, native_id)
    WHERE d.new_revision IS NOT NULL
       OR (d.source_id, d.doc_type, d.native_id) NOT IN (SELECT source_id, doc_type, old_id FROM renamed))
SELECT * FROM (
    SELECT s.*, count(*) FILTER (WHERE change = 'added') OVER () AS added,
           count(*) FILTER (WHERE change = 'removed') OVER () AS removed,
           count(*) FILTER (WHERE change = 'changed') OVER () AS changed,
           count(*) FILTER (WHERE change = 'renamed') OVER () AS renamed
    FROM said s) s
WHERE %(after_id)s::text IS NULL OR (s.source_id, s.native_id COLLATE "C", s.doc_type COLLATE "C")
      > (%(after_source)s::int, %(after_id)s COLLATE "C", %(after_type)s COLLATE "C")
ORDER BY s.source_id, s.native_id COLLATE "C", s.doc_type COLLATE "C" LIMIT %(limit)s

-- name: changed_links
-- Relationships of models that differ between the states of two moments: they came, went, or say something else. What their
-- elements are called belongs to the elements.
WITH a AS MATERIALIZED (
    SELECT DISTINCT ON (x.source_id, x.native_id) x.source_id, x.native_id, x.type, f.native_id AS from_id,
           x.to_native_id AS to_id, x.metadata - '{target_name,target_type}'::text[] AS metadata
    FROM relationship x
    CROSS JOIN LATERAL (SELECT f.native_id FROM document f
        WHERE f.source_id = x.source_id AND f.document_id = x.from_document_id OFFSET 0) f
    WHERE x.source_id = ANY(%(source_ids)s::int[]) AND x.native_id IS NOT NULL AND x.to_native_id IS NOT NULL
      AND x.valid_from <= %(before)s AND x.valid_to > %(before)s
      AND NOT (x.valid_from <= %(after)s AND x.valid_to > %(after)s)
    ORDER BY x.source_id, x.native_id, x.relationship_id),
b AS MATERIALIZED (
    SELECT DISTINCT ON (x.source_id, x.native_id) x.source_id, x.native_id, x.type, f.native_id AS from_id,
           x.to_native_id AS to_id, x.metadata - '{target_name,target_type}'::text[] AS metadata
    FROM relationship x
    CROSS JOIN LATERAL (SELECT f.native_id FROM document f
        WHERE f.source_id = x.source_id AND f.document_id = x.from_document_id OFFSET 0) f
    WHERE x.source_id = ANY(%(source_ids)s::int[]) AND x.native_id IS NOT NULL AND x.to_native_id IS NOT NULL
      AND x.valid_from <= %(after)s AND x.valid_to > %(after)s
      AND NOT (x.valid_from <= %(before)s AND x.valid_to > %(before)s)
    ORDER BY x.source_id, x.native_id, x.relationship_id),
said AS (
    SELECT source_id, native_id,
           CASE WHEN a.type IS NULL THEN 'added' WHEN b.type IS NULL THEN 'removed' ELSE 'changed' END AS change
    FROM a FULL JOIN b USING (source_id, native_id)
    WHERE (a.type, a.from_id, a.to_id, a.metadata) IS DISTINCT FROM (b.type, b.from_id, b.to_id, b.metadata))
SELECT * FROM (
    SELECT s.*, count(*) FILTER (WHERE change = 'added') OVER () AS added,
           count(*) FILTER (WHERE change = 'removed') OVER () AS removed,
           count(*) FILTER (WHERE change = 'changed') OVER () AS changed
    FROM said s) s
WHERE %(after_id)s::text IS NULL
   OR (s.source_id, s.native_id COLLATE "C") > (%(after_source)s::int, %(after_id)s COLLATE "C")
ORDER BY s.source_id, s.native_id COLLATE "C" LIMIT %(limit)s

-- name: state_sizes
-- How many documents each source has in the state of a moment, and how many of their revisions were superseded since.
SELECT r.source_id, count(*) AS documents, count(*) FILTER (WHERE r.valid_to < 'infinity') AS superseded
FROM revision r
WHERE r.source_id = ANY(%(source_ids)s::int[]) AND r.valid_from <= %(at)s AND r.valid_to > %(at)s
GROUP BY r.source_id ORDER BY r.source_id

-- name: past_kept
-- Whether there is any other state than the present one to read.
SELECT EXISTS (SELECT 1 FROM source s WHERE s.tenant = %(tenant)s AND (
           EXISTS (SELECT 1 FROM revision r WHERE r.source_id = s.source_id AND r.valid_to < 'infinity')
           OR EXISTS (SELECT 1 FROM baseline_source b WHERE b.source_id = s.source_id))) AS kept
