-- The graph at HEAD. The same statements read a past state: each condition `valid_to = 'infinity'` is then exchanged for
-- one on the moment (store/graph.py). Literally so, because the indexes of HEAD are partial.

-- name: graph_nodes
-- Those of the named nodes that there are: documents and sections, and what an edge inside the allowed sources leads to.
SELECT w.place::int, coalesce(d.document_id, 0) AS document_id, coalesce(d.page_id, d.document_id, 0) AS page_id
FROM unnest(%(node_sources)s::int[], %(kinds)s::text[], %(names)s::text[]) WITH ORDINALITY
     AS w (source_id, kind, name, place)
LEFT JOIN LATERAL (SELECT d.document_id, d.page_id FROM document d
    WHERE d.source_id = w.source_id AND d.doc_type = w.kind AND d.native_id = w.name AND d.valid_to = 'infinity'
    OFFSET 0) d ON true
WHERE (w.source_id = 0 OR w.source_id = ANY(%(source_ids)s))
  AND (d.document_id IS NOT NULL OR (w.source_id = 0 OR w.kind = 'folder') AND EXISTS (
       SELECT 1 FROM relationship x
       WHERE x.to_key = node_key(w.source_id, w.kind, w.name) AND x.to_kind = w.kind AND x.valid_to = 'infinity'
         AND x.source_id = ANY(CASE WHEN w.source_id = 0 THEN %(source_ids)s ELSE ARRAY[w.source_id] END)))

-- name: graph_nodes_of_documents
SELECT d.source_id, d.document_id, coalesce(d.page_id, d.document_id) AS page_id, d.doc_type, d.native_id
FROM unnest(%(sources)s::int[], %(documents)s::bigint[]) AS w (source_id, document_id)
CROSS JOIN LATERAL (SELECT d.source_id, d.document_id, d.page_id, d.doc_type, d.native_id FROM document d
    WHERE d.source_id = w.source_id AND d.document_id = w.document_id AND d.valid_to = 'infinity' OFFSET 0) d
WHERE d.source_id = ANY(%(source_ids)s)

-- name: graph_neighbours
-- The edges of some nodes, up to %(per_node)s in each direction and, of shared nodes, fairly from each source. Of a node
-- with more, only the first %(looked_at)s are read, and the strongest of these are taken. A mention of a term leads to the
-- documents that bear it, and a document is mentioned where its own term is.
WITH wanted AS MATERIALIZED (
    SELECT w.place::int, w.source_id, w.kind, w.document_id, w.page_id, node_key(w.source_id, w.kind, w.name) AS key
    FROM unnest(%(node_sources)s::int[], %(kinds)s::text[], %(names)s::text[], %(documents)s::bigint[], %(pages)s::bigint[])
         WITH ORDINALITY AS w (source_id, kind, name, document_id, page_id, place)
    WHERE w.source_id = 0 OR w.source_id = ANY(%(source_ids)s)),
leaving AS MATERIALIZED (
    SELECT w.place, x.*
    FROM wanted w CROSS JOIN LATERAL (
        SELECT s.* FROM (
            SELECT x.source_id, x.relationship_id, x.type, x.page_id, x.revision_id, x.start_char, x.end_char,
                   x.metadata ->> 'name' AS label, x.to_kind, x.to_native_id, x.to_name, x.to_url, x.to_key
            FROM relationship x
            WHERE x.source_id = w.source_id AND x.page_id = w.page_id AND x.from_document_id = w.document_id
              AND x.valid_to = 'infinity' AND x.to_key IS NOT NULL AND x.type <> 'named'
              AND (%(leaving_types)s::text[] = '{}' OR x.type = ANY(%(leaving_types)s::text[]))
            ORDER BY x.relationship_id LIMIT %(looked_at)s) s
        ORDER BY array_position(%(weak)s::text[], s.type) NULLS FIRST, s.relationship_id LIMIT %(per_node)s) x
    WHERE %(leaving)s AND w.document_id <> 0),
keys AS MATERIALIZED (
    SELECT w.place, w.key, w.kind, w.source_id, 0::bigint AS page_id, false AS borne FROM wanted w WHERE %(arriving)s
    UNION ALL
    SELECT w.place, x.to_key, x.to_kind, 0, w.page_id, true
    FROM wanted w CROSS JOIN LATERAL (
        SELECT x.to_key, x.to_kind FROM relationship x
        WHERE x.source_id = w.source_id AND x.page_id = w.page_id AND x.from_document_id = w.document_id
          AND x.valid_to = 'infinity' AND x.type = 'named' ORDER BY x.relationship_id LIMIT 4) x
    WHERE %(arriving)s AND w.document_id <> 0),
arriving AS MATERIALIZED (
    SELECT k.place, x.*
    FROM keys k CROSS JOIN LATERAL (
        SELECT s.*, row_number() OVER (PARTITION BY s.source_id
                   ORDER BY array_position(%(weak)s::text[], s.type) NULLS FIRST, s.relationship_id) AS turn
        FROM unnest(CASE WHEN k.source_id = 0 THEN %(source_ids)s::int[] ELSE ARRAY[k.source_id] END) AS a (source_id)
        CROSS JOIN LATERAL (
            SELECT x.source_id, x.relationship_id, x.type, x.page_id, x.from_document_id, x.revision_id, x.start_char,
                   x.end_char, x.metadata ->> 'name' AS label
            FROM relationship x
            WHERE x.to_key = k.key AND x.source_id = a.source_id AND x.valid_to = 'infinity' AND x.to_kind = k.kind
              AND (%(arriving_types)s::text[] = '{}' OR x.type = ANY(%(arriving_types)s::text[]))
              AND (NOT k.borne OR x.type IN ('mentions', 'defines') AND x.page_id <> k.page_id)
            ORDER BY x.type, x.relationship_id LIMIT %(looked_at)s) s
        ORDER BY array_position(%(weak)s::text[], s.type) NULLS FIRST, turn, s.source_id, s.relationship_id
        LIMIT %(per_node)s) x)
SELECT x.place, true AS leaves, x.source_id, x.relationship_id, x.type, x.page_id, x.revision_id, x.start_char, x.end_char,
       x.label, CASE WHEN x.to_native_id IS NULL THEN coalesce(t.source_id, 0) ELSE x.source_id END AS other_source,
       coalesce(t.doc_type, x.to_kind) AS other_kind,
       coalesce(t.native_id, x.to_native_id, x.to_name, regexp_replace(x.to_url, '^mailto:', '')) AS other_name,
       coalesce(t.document_id, 0) AS other_document, coalesce(t.page_id, t.document_id, 0) AS other_page
FROM leaving x
LEFT JOIN LATERAL (
    SELECT b.source_id, b.from_document_id FROM relationship b
    WHERE x.to_kind = 'term' AND x.type IN ('mentions', 'defines') AND b.to_key = x.to_key AND b.to_kind = 'term'
      AND b.source_id = ANY(%(source_ids)s) AND b.type = 'named' AND b.valid_to = 'infinity'
      AND (b.source_id, b.page_id) <> (x.source_id, x.page_id)
    ORDER BY b.source_id, b.relationship_id LIMIT %(bearers)s) b ON true
LEFT JOIN LATERAL (
    SELECT t.source_id, t.doc_type, t.native_id, t.document_id, t.page_id FROM document t
    WHERE b.source_id IS NOT NULL AND t.source_id = b.source_id AND t.document_id = b.from_document_id
      AND t.valid_to = 'infinity'
    UNION ALL
    SELECT t.source_id, t.doc_type, t.native_id, t.document_id, t.page_id FROM document t
    WHERE x.to_native_id IS NOT NULL AND t.source_id = x.source_id AND t.doc_type = x.to_kind
      AND t.native_id = CASE WHEN node_key(x.source_id, x.to_kind, x.to_native_id) = x.to_key THEN x.to_native_id
                             ELSE split_part(x.to_native_id, '#', 1) END
      AND t.valid_to = 'infinity' LIMIT 1) t ON true
WHERE t.document_id IS NOT NULL OR x.to_kind = 'folder' OR (x.to_native_id IS NULL AND b.source_id IS NULL)
UNION ALL
SELECT x.place, false, x.source_id, x.relationship_id, x.type, x.page_id, x.revision_id, x.start_char, x.end_char, x.label,
       f.source_id, f.doc_type, f.native_id, f.document_id, coalesce(f.page_id, f.document_id)
FROM arriving x
CROSS JOIN LATERAL (SELECT f.source_id, f.doc_type, f.native_id, f.document_id, f.page_id FROM document f
    WHERE f.source_id = x.source_id AND f.document_id = x.from_document_id AND f.valid_to = 'infinity' OFFSET 0) f

-- name: graph_edge_counts
-- How many edges of each type there are between what the allowed sources hold.
SELECT x.type, count(*)::int AS edges
FROM relationship x
WHERE x.source_id = ANY(%(source_ids)s) AND x.valid_to = 'infinity' AND x.to_key IS NOT NULL
  AND (x.to_native_id IS NULL OR x.to_kind = 'folder' OR EXISTS (
       SELECT 1 FROM document d WHERE d.source_id = ANY(%(source_ids)s) AND d.valid_to = 'infinity'
         AND node_key(d.source_id, d.doc_type, d.native_id) = x.to_key))
GROUP BY x.type

-- name: graph_node_counts
SELECT d.doc_type AS kind, count(*)::int AS nodes FROM document d
WHERE d.source_id = ANY(%(source_ids)s) AND d.valid_to = 'infinity' GROUP BY d.doc_type
UNION ALL
SELECT x.to_kind, count(DISTINCT x.to_key)::int FROM relationship x
WHERE x.source_id = ANY(%(source_ids)s) AND x.valid_to = 'infinity' AND x.to_key IS NOT NULL
  AND (x.to_native_id IS NULL OR x.to_kind = 'folder')
GROUP BY x.to_kind
