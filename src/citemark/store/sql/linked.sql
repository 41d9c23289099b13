-- (on replicas)
-- name: chunks_linked (planned once)
-- Chunks one step along the graph from others, at a moment: of what the section (or page) of a chunk is related or links to, of
-- what is related or links to it, of what bears a name that it mentions, and of sections that mention the name that it bears.
-- At most so many edges of a kind and chunk are followed: a hub is near to everything. A plain word that too many pages use
-- links nothing. Laterals keep each step a look-up.
-- What a mention, a name and a plain word lead to is said again in graph_neighbours, which a walk asks: a question has one
-- statement for it all (the edges of graph_neighbours would need two more for chunks and titles, and kb.search has a tenth
-- of its time for the graph). tests/integration/retrieval/test_linked.py holds both to the same edges.
WITH seed AS MATERIALIZED (
    SELECT w.number, w.chunk_id, c.source_id, c.document_id, c.page_id, d.doc_type, d.native_id
    FROM unnest(%(chunk_ids)s::bigint[]) WITH ORDINALITY AS w (chunk_id, number)
    CROSS JOIN LATERAL (SELECT c.source_id, c.document_id, c.page_id FROM chunk c
                        WHERE c.source_id = ANY(%(source_ids)s::int[]) AND c.chunk_id = w.chunk_id OFFSET 0) c
    CROSS JOIN LATERAL (SELECT d.doc_type, d.native_id FROM document d
                        WHERE d.source_id = c.source_id AND d.document_id = c.document_id OFFSET 0) d),
stated AS MATERIALIZED (
    SELECT s.number, s.source_id, s.page_id, x.type, x.to_kind, x.to_native_id, x.to_key FROM seed s
    CROSS JOIN LATERAL (SELECT x.type, x.to_kind, x.to_native_id, x.to_key FROM relationship x
        WHERE x.source_id = s.source_id AND x.from_document_id = s.document_id
          AND x.valid_from <= %(at)s AND x.valid_to > %(at)s AND x.type <> ALL(%(not_followed)s::text[])
          AND (x.type <> 'mentions' OR x.metadata = '{}' OR NOT EXISTS (
               SELECT 1 FROM common_name n WHERE n.source_id = x.source_id AND n.to_key = x.to_key
               AND n.valid_from <= %(at)s AND n.valid_to > %(at)s))
        ORDER BY x.relationship_id LIMIT %(most)s) x),
reached AS (
    SELECT x.number, x.source_id, t.document_id, x.type, true AS outgoing FROM stated x
    CROSS JOIN LATERAL (SELECT t.document_id FROM document t
        WHERE t.source_id = x.source_id AND t.doc_type = x.to_kind
          AND t.native_id = CASE WHEN x.to_kind = 'section' THEN x.to_native_id ELSE split_part(x.to_native_id, '#', 1) END
          AND (t.page_id IS NULL OR t.page_id = x.page_id) AND t.valid_from <= %(at)s AND t.valid_to > %(at)s OFFSET 0) t
    WHERE x.to_native_id IS NOT NULL
    UNION ALL
    SELECT s.number, x.source_id, x.from_document_id, x.type, false FROM seed s
    CROSS JOIN LATERAL (SELECT x.source_id, x.from_document_id, x.type FROM relationship x
        WHERE x.to_key = node_key(s.source_id, s.doc_type, s.native_id) AND x.source_id = s.source_id
          AND (x.to_kind <> 'section' OR x.page_id = s.page_id)
          AND x.valid_from <= %(at)s AND x.valid_to > %(at)s AND x.type <> ALL(%(not_followed)s::text[])
        ORDER BY x.relationship_id LIMIT %(most)s) x
    UNION ALL
    SELECT x.number, y.source_id, y.from_document_id, x.type, true FROM stated x
    CROSS JOIN LATERAL (SELECT y.source_id, y.from_document_id FROM relationship y
        WHERE y.to_key = x.to_key AND y.source_id = ANY(%(source_ids)s::int[]) AND y.type = 'named'
          AND y.valid_from <= %(at)s AND y.valid_to > %(at)s
        ORDER BY y.source_id, y.relationship_id LIMIT %(most)s) y
    WHERE x.type = 'mentions'
    UNION ALL
    SELECT x.number, y.source_id, y.from_document_id, y.type, false FROM stated x
    CROSS JOIN LATERAL (SELECT y.source_id, y.from_document_id, y.type FROM relationship y
        WHERE y.to_key = x.to_key AND y.source_id = ANY(%(source_ids)s::int[]) AND y.type = 'mentions'
          AND y.valid_from <= %(at)s AND y.valid_to > %(at)s
          AND (y.metadata = '{}' OR NOT EXISTS (
               SELECT 1 FROM common_name n WHERE n.source_id = y.source_id AND n.to_key = y.to_key
               AND n.valid_from <= %(at)s AND n.valid_to > %(at)s))
        ORDER BY y.source_id, y.relationship_id LIMIT %(most)s) y
    WHERE x.type = 'named')
SELECT s.chunk_id AS from_id, p.title AS from_title, r.type, r.outgoing, c.chunk_id, c.page_id
FROM (SELECT DISTINCT ON (number, source_id, document_id) * FROM reached
      ORDER BY number, source_id, document_id, type, outgoing) r
JOIN seed s ON s.number = r.number AND (s.source_id, s.document_id) <> (r.source_id, r.document_id)
CROSS JOIN LATERAL (SELECT p.title FROM revision p
    WHERE p.source_id = s.source_id AND p.document_id = s.page_id
      AND p.valid_from <= %(at)s AND p.valid_to > %(at)s OFFSET 0) p
CROSS JOIN LATERAL (SELECT coalesce(d.page_id, d.document_id) AS page_id FROM document d
    WHERE d.source_id = r.source_id AND d.document_id = r.document_id
      AND d.valid_from <= %(at)s AND d.valid_to > %(at)s OFFSET 0) d
CROSS JOIN LATERAL (SELECT v.revision_id FROM revision v
    WHERE v.source_id = r.source_id AND v.document_id = d.page_id
      AND v.valid_from <= %(at)s AND v.valid_to > %(at)s OFFSET 0) v
CROSS JOIN LATERAL (SELECT c.chunk_id, c.page_id FROM chunk c
    WHERE c.source_id = r.source_id AND c.revision_id = v.revision_id
      AND (c.document_id = r.document_id OR d.page_id = r.document_id)
    ORDER BY c.ordinal LIMIT 2) c
ORDER BY r.number, c.chunk_id
