-- (on replicas)
-- name: model_parts
-- Elements or views of a moment, by name. Names compare byte by byte, so that every server sorts them alike. Laterals fix
-- the order of the joins, here and below: a model that was just read has no statistics to plan them by.
SELECT n.*, c.chunk_id
FROM (SELECT d.source_id, r.revision_id, d.native_id, r.title, r.metadata, lower(r.title) COLLATE "C" AS sort_key
      FROM document d
      CROSS JOIN LATERAL (SELECT r.revision_id, r.title, r.metadata - 'layout' AS metadata FROM revision r
          WHERE r.source_id = d.source_id AND r.document_id = d.document_id
            AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) r
      WHERE d.source_id = ANY(%(source_ids)s) AND d.page_id IS NULL AND d.doc_type = %(doc_type)s
        AND d.valid_from <= %(at)s AND d.valid_to > %(at)s
        AND (%(ids)s::text[] = '{}' AND %(names)s::text[] = '{}' OR d.native_id = ANY(%(ids)s::text[])
             OR lower(r.title) IN (SELECT lower(name) FROM unnest(%(names)s::text[]) name)
             OR string_to_array(lower(r.metadata ->> 'other_names'), E'\n')
                && ARRAY(SELECT lower(name) FROM unnest(%(names)s::text[]) name))
        AND NOT EXISTS (SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) wanted
                        WHERE NOT coalesce(wanted.value ?| string_to_array(r.metadata ->> wanted.key, E'\n'), false))
        AND (%(after_key)s::text IS NULL OR (lower(r.title) COLLATE "C", d.native_id COLLATE "C", d.source_id)
             > (%(after_key)s COLLATE "C", %(after_id)s COLLATE "C", %(after_source)s::int))
      ORDER BY lower(r.title) COLLATE "C", d.native_id COLLATE "C", d.source_id LIMIT %(limit)s) n
CROSS JOIN LATERAL (SELECT c.chunk_id FROM chunk c
                    WHERE c.source_id = n.source_id AND c.revision_id = n.revision_id ORDER BY c.ordinal LIMIT 1) c
ORDER BY n.sort_key, n.native_id COLLATE "C", n.source_id

-- name: model_parts_count
SELECT count(*)::int AS parts
FROM document d
CROSS JOIN LATERAL (SELECT r.metadata FROM revision r
    WHERE r.source_id = d.source_id AND r.document_id = d.document_id
      AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) r
WHERE d.source_id = ANY(%(source_ids)s) AND d.page_id IS NULL AND d.doc_type = %(doc_type)s
  AND d.valid_from <= %(at)s AND d.valid_to > %(at)s
  AND NOT EXISTS (SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) wanted
                  WHERE NOT coalesce(wanted.value ?| string_to_array(r.metadata ->> wanted.key, E'\n'), false))

-- name: model_parts_of
-- What the parts are whose revisions are known.
SELECT r.source_id, r.revision_id, d.native_id, r.title, r.metadata, lower(r.title) COLLATE "C" AS sort_key,
       0::bigint AS chunk_id
FROM unnest(%(sources)s::int[], %(revisions)s::bigint[]) AS w (source_id, revision_id)
CROSS JOIN LATERAL (SELECT r.source_id, r.revision_id, r.document_id, r.title, r.metadata - 'layout' AS metadata
    FROM revision r WHERE r.source_id = w.source_id AND r.revision_id = w.revision_id OFFSET 0) r
CROSS JOIN LATERAL (SELECT d.native_id FROM document d
    WHERE d.source_id = r.source_id AND d.document_id = r.document_id OFFSET 0) d
WHERE r.source_id = ANY(%(source_ids)s)

-- name: model_layout
SELECT r.metadata ->> 'layout' AS layout FROM revision r
WHERE r.source_id = ANY(%(source_ids)s) AND r.source_id = %(source_id)s AND r.revision_id = %(revision_id)s

-- name: model_showing
-- Views whose layout has a box for an element.
SELECT d.source_id, r.revision_id, d.native_id, r.title, r.metadata - 'layout' AS metadata,
       lower(r.title) COLLATE "C" AS sort_key, c.chunk_id
FROM document d
CROSS JOIN LATERAL (SELECT r.revision_id, r.title, r.metadata FROM revision r
    WHERE r.source_id = d.source_id AND r.document_id = d.document_id
      AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) r
CROSS JOIN LATERAL (SELECT c.chunk_id FROM chunk c
                    WHERE c.source_id = d.source_id AND c.revision_id = r.revision_id ORDER BY c.ordinal LIMIT 1) c
WHERE d.source_id = ANY(%(source_ids)s) AND d.source_id = %(source_id)s AND d.page_id IS NULL AND d.doc_type = 'view'
  AND d.valid_from <= %(at)s AND d.valid_to > %(at)s AND strpos(r.metadata ->> 'layout', %(box)s) > 0
ORDER BY lower(r.title) COLLATE "C", d.native_id COLLATE "C" LIMIT %(limit)s

-- name: model_named
-- Parts of a moment whose name is, begins with or holds the words, in this order; shorter names first.
SELECT n.source_id, n.page_id, c.chunk_id
FROM (SELECT d.source_id, r.revision_id, d.document_id AS page_id, d.native_id, r.title,
             CASE WHEN lower(r.title) = lower(%(words)s) THEN 0
                  WHEN starts_with(lower(r.title), lower(%(words)s)) THEN 1 ELSE 2 END AS place
      FROM document d
      CROSS JOIN LATERAL (SELECT r.revision_id, r.title, r.metadata FROM revision r
          WHERE r.source_id = d.source_id AND r.document_id = d.document_id
            AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) r
      WHERE d.source_id = ANY(%(source_ids)s) AND d.page_id IS NULL AND d.doc_type = %(doc_type)s
        AND d.valid_from <= %(at)s AND d.valid_to > %(at)s AND strpos(lower(concat_ws(E'\n', r.title, r.metadata ->> 'other_names')), lower(%(words)s)) > 0
        AND NOT EXISTS (SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) wanted
                        WHERE NOT coalesce(wanted.value ?| string_to_array(r.metadata ->> wanted.key, E'\n'), false))
      ORDER BY place, length(r.title), lower(r.title) COLLATE "C", d.native_id COLLATE "C", d.source_id
      LIMIT %(limit)s) n
CROSS JOIN LATERAL (SELECT c.chunk_id FROM chunk c
                    WHERE c.source_id = n.source_id AND c.revision_id = n.revision_id ORDER BY c.ordinal LIMIT 1) c
ORDER BY n.place, length(n.title), lower(n.title) COLLATE "C", n.native_id COLLATE "C", n.source_id

-- name: model_links
-- Relationships of a moment. An end that is no element is another relationship, which has no text of its own. The chunk at
-- the start is the one that says the relationship.
WITH x AS MATERIALIZED (
    SELECT x.source_id, x.native_id, x.type, x.metadata, x.from_document_id, x.to_native_id, x.start_char, x.end_char
    FROM relationship x
    WHERE x.source_id = ANY(%(source_ids)s) AND x.native_id IS NOT NULL AND x.to_native_id IS NOT NULL
      AND x.valid_from <= %(at)s AND x.valid_to > %(at)s
      AND (%(part_id)s::text IS NULL OR x.source_id = %(part_source)s AND (
           %(incoming)s AND x.to_key = node_key(%(part_source)s, 'element', %(part_id)s) AND x.to_native_id = %(part_id)s
           OR %(outgoing)s AND x.from_document_id IN (
              SELECT d.document_id FROM document d WHERE d.source_id = %(part_source)s AND d.doc_type = 'element'
                AND d.native_id = %(part_id)s)))
      AND (%(types)s::text[] = '{}' OR x.type = ANY(%(types)s::text[]))
      AND (%(ids)s::text[] = '{}' OR x.native_id = ANY(%(ids)s::text[]))
      AND (%(after_type)s::text IS NULL OR (x.type COLLATE "C", x.native_id COLLATE "C", x.source_id)
           > (%(after_type)s COLLATE "C", %(after_id)s COLLATE "C", %(after_source)s::int))
    ORDER BY x.type COLLATE "C", x.native_id COLLATE "C", x.source_id LIMIT %(limit)s)
SELECT x.source_id, x.native_id, x.type, x.metadata, x.start_char, x.end_char, x.to_native_id AS to_id, f.native_id AS from_id,
       fr.title AS from_name, fr.element_type AS from_type, fc.chunk_id AS from_chunk,
       tr.title AS to_name, tr.element_type AS to_type, tc.chunk_id AS to_chunk
FROM x
CROSS JOIN LATERAL (SELECT f.native_id FROM document f
    WHERE f.source_id = x.source_id AND f.document_id = x.from_document_id OFFSET 0) f
LEFT JOIN LATERAL (SELECT r.revision_id, r.title, r.metadata ->> 'element_type' AS element_type FROM revision r
    WHERE r.source_id = x.source_id AND r.document_id = x.from_document_id
      AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) fr ON true
LEFT JOIN LATERAL (SELECT c.chunk_id FROM chunk c WHERE c.source_id = x.source_id AND c.revision_id = fr.revision_id
    ORDER BY c.end_char <= coalesce(x.start_char, 0), c.ordinal LIMIT 1) fc ON true
LEFT JOIN LATERAL (SELECT t.document_id FROM document t
    WHERE t.source_id = x.source_id AND t.doc_type = 'element' AND t.native_id = x.to_native_id
      AND t.valid_from <= %(at)s AND t.valid_to > %(at)s OFFSET 0) t ON true
LEFT JOIN LATERAL (SELECT r.revision_id, r.title, r.metadata ->> 'element_type' AS element_type FROM revision r
    WHERE r.source_id = x.source_id AND r.document_id = t.document_id
      AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) tr ON true
LEFT JOIN LATERAL (SELECT c.chunk_id FROM chunk c WHERE c.source_id = x.source_id AND c.revision_id = tr.revision_id
    ORDER BY c.ordinal LIMIT 1) tc ON true
ORDER BY x.type COLLATE "C", x.native_id COLLATE "C", x.source_id
