-- (on replicas)
-- The graph at HEAD. The same statements read a past state: each condition `valid_to = 'infinity'` is then exchanged for
-- one on the moment (store/graph.py). Literally so, because the indexes of HEAD are partial. Where an edge is stated is exchanged
-- likewise: what is said to be `x.revision_id AS revision_id` is what it was at the moment.
-- A term is there where something in the allowed sources bears it, that is, is called so or defines it: a mention alone would
-- tell that a source which is not allowed bears it. All that leads to a term and is no mention says that something bears it.

-- name: graph_card (columns)
d.source_id, d.document_id, coalesce(d.page_id, d.document_id) AS page_id, p.doc_type AS page_type,
       p.native_id AS page_native_id, r.revision_id, r.version, r.title, r.url, r.element_type, x.slug,
       x.title AS section_title, c.chunk_id

-- name: graph_nodes (planned once)
-- Those of the named nodes that there are: documents and sections, with what graph_shown tells of them, and what an edge inside
-- the allowed sources leads to. Pages of different types may have sections of one name: that of the page asked for is meant,
-- else the newest.
SELECT w.place::int, {graph_card}
FROM unnest(%(node_sources)s::int[], %(kinds)s::text[], %(names)s::text[], %(pages)s::bigint[]) WITH ORDINALITY
     AS w (source_id, kind, name, page_id, place)
LEFT JOIN LATERAL (SELECT d.source_id, d.document_id, d.page_id FROM document d
    WHERE d.source_id = w.source_id AND d.doc_type = w.kind AND d.native_id = w.name AND d.valid_to = 'infinity'
    ORDER BY coalesce(d.page_id, d.document_id) = w.page_id DESC, d.valid_from DESC, d.document_id DESC LIMIT 1) d ON true
{graph_card_parts}
WHERE (w.source_id = 0 OR w.source_id = ANY(%(source_ids)s))
  AND (d.document_id IS NOT NULL OR (w.source_id = 0 OR w.kind = 'folder') AND EXISTS (
       SELECT 1 FROM relationship x
       WHERE x.to_key = node_key(w.source_id, w.kind, w.name) AND x.to_kind = w.kind AND x.valid_to = 'infinity'
         AND x.source_id = ANY(CASE WHEN w.source_id = 0 THEN %(source_ids)s ELSE ARRAY[w.source_id] END)
         AND x.type <> 'mentions'))

-- name: graph_neighbours (planned once)
-- The edges of some nodes, up to %(per_node)s in each direction and, of shared nodes, fairly from each source. Of a node
-- with more, only the first %(looked_at)s are read, and the strongest of these are taken. A mention of a term leads to the
-- documents that bear it, and a document is mentioned where its own term is; a plain word that too many pages use mentions
-- nothing, nor does a name that nothing here bears. Only its own page leads to a section. Offsets keep each check a look-up.
-- Of one node and one direction, %(start)s edges are passed over and %(most)s taken of those that are left. `total` is the
-- number of all that were read, and there is always a row that says it.
-- `cut` is the place of a node of which as many edges were taken as may be, even if these lead to nothing: the row may say no
-- more than that. With %(among)s, only edges that join the nodes with the known ones are read, before any limit counts them;
-- what a mention of a term leads to is known later, so these count.
WITH wanted AS MATERIALIZED (
    SELECT w.place::int, w.source_id, w.kind, w.document_id, w.page_id, node_key(w.source_id, w.kind, w.name) AS key
    FROM unnest(%(node_sources)s::int[], %(kinds)s::text[], %(names)s::text[], %(documents)s::bigint[], %(pages)s::bigint[])
         WITH ORDINALITY AS w (source_id, kind, name, document_id, page_id, place)
    WHERE w.source_id = 0 OR w.source_id = ANY(%(source_ids)s)),
known AS MATERIALIZED (
    SELECT k.source_id, k.document_id, node_key(k.source_id, k.kind, k.name) AS key
    FROM unnest(%(known_sources)s::int[], %(known_kinds)s::text[], %(known_names)s::text[], %(known_documents)s::bigint[])
         AS k (source_id, kind, name, document_id)),
leaving AS MATERIALIZED (
    SELECT w.place, x.*
    FROM wanted w CROSS JOIN LATERAL (
        SELECT s.* FROM (
            SELECT x.source_id, x.relationship_id, x.type, x.page_id, x.revision_id AS revision_id, x.start_char AS start_char,
                   x.end_char AS end_char, x.metadata ->> 'name' AS label, x.to_kind, x.to_native_id, x.to_name, x.to_url, x.to_key
            FROM relationship x
            WHERE x.source_id = w.source_id AND x.page_id = w.page_id AND x.from_document_id = w.document_id
              AND x.valid_to = 'infinity' AND x.to_key IS NOT NULL AND x.type <> 'named'
              AND (NOT %(among)s OR x.to_kind = 'term' OR x.to_key IN (SELECT key FROM known))
              AND (%(leaving_types)s::text[] = '{}' OR x.type = ANY(%(leaving_types)s::text[]))
              AND (x.type <> 'mentions' OR x.metadata = '{}' OR NOT EXISTS (
                   SELECT 1 FROM common_name n WHERE n.source_id = x.source_id AND n.to_key = x.to_key
                   AND n.valid_to = 'infinity'))
              AND (x.type <> 'mentions' OR EXISTS (
                   SELECT 1 FROM relationship b WHERE b.to_key = x.to_key AND b.source_id = ANY(%(source_ids)s)
                     AND b.type IN ('named', 'defines') AND b.valid_to = 'infinity' OFFSET 0))
            ORDER BY x.relationship_id LIMIT %(looked_at)s) s
        ORDER BY array_position(%(weak)s::text[], s.type) NULLS FIRST, s.relationship_id LIMIT %(per_node)s) x
    WHERE %(leaving)s AND w.document_id <> 0),
keys AS MATERIALIZED (
    SELECT w.place, w.key, w.kind, w.source_id, w.page_id, false AS borne FROM wanted w
    WHERE %(arriving)s AND (w.kind <> 'term' OR EXISTS (
          SELECT 1 FROM relationship b WHERE b.to_key = w.key AND b.source_id = ANY(%(source_ids)s)
            AND b.type IN ('named', 'defines') AND b.valid_to = 'infinity' OFFSET 0))
    UNION ALL
    SELECT w.place, x.to_key, x.to_kind, 0, w.page_id, true
    FROM wanted w CROSS JOIN LATERAL (
        SELECT x.to_key, x.to_kind FROM relationship x
        WHERE x.source_id = w.source_id AND x.page_id = w.page_id AND x.from_document_id = w.document_id
          AND x.valid_to = 'infinity' AND x.type = 'named' ORDER BY x.relationship_id LIMIT 12) x
    WHERE %(arriving)s AND w.document_id <> 0),
arriving AS MATERIALIZED (
    SELECT k.place, k.key, x.*
    FROM keys k CROSS JOIN LATERAL (
        SELECT s.*, row_number() OVER (PARTITION BY s.source_id
                   ORDER BY array_position(%(weak)s::text[], s.type) NULLS FIRST, s.relationship_id) AS turn
        FROM unnest(CASE WHEN k.source_id = 0 THEN %(source_ids)s::int[] ELSE ARRAY[k.source_id] END) AS a (source_id)
        CROSS JOIN LATERAL (
            SELECT x.source_id, x.relationship_id, x.type, x.page_id, x.from_document_id, x.revision_id AS revision_id,
                   x.start_char AS start_char, x.end_char AS end_char, x.metadata ->> 'name' AS label
            FROM relationship x
            WHERE x.to_key = k.key AND x.source_id = a.source_id AND x.valid_to = 'infinity' AND x.to_kind = k.kind
              AND (NOT %(among)s OR (x.source_id, x.from_document_id) IN (SELECT source_id, document_id FROM known))
              AND (%(arriving_types)s::text[] = '{}' OR x.type = ANY(%(arriving_types)s::text[]))
              AND (k.kind <> 'section' OR x.page_id = k.page_id)
              AND (NOT k.borne OR x.type IN ('mentions', 'defines') AND x.page_id <> k.page_id)
              AND (x.type <> 'mentions' OR x.metadata = '{}' OR NOT EXISTS (
                   SELECT 1 FROM common_name n WHERE n.source_id = x.source_id AND n.to_key = x.to_key
                   AND n.valid_to = 'infinity'))
            ORDER BY x.type, x.relationship_id LIMIT %(looked_at)s) s
        ORDER BY array_position(%(weak)s::text[], s.type) NULLS FIRST, turn, s.source_id, s.relationship_id
        LIMIT %(per_node)s) x),
cut AS (
    SELECT place FROM leaving GROUP BY place HAVING count(*) >= %(per_node)s
    UNION SELECT place FROM arriving GROUP BY place, key HAVING count(*) >= %(per_node)s),
edges AS (
    SELECT x.place, true AS leaves, x.source_id, x.relationship_id, x.type, x.page_id, x.revision_id, x.start_char, x.end_char,
           x.label, CASE WHEN x.to_native_id IS NULL THEN coalesce(t.source_id, 0) ELSE x.source_id END AS other_source,
           coalesce(t.doc_type, x.to_kind) AS other_kind,
           coalesce(t.native_id, x.to_native_id, x.to_name, regexp_replace(x.to_url, '^mailto:', '')) AS other_name,
           coalesce(t.document_id, 0) AS other_document, coalesce(t.page_id, t.document_id, 0) AS other_page
    FROM (SELECT l.* FROM leaving l
          ORDER BY l.relationship_id OFFSET %(start)s LIMIT %(most)s::int) x
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
          AND (t.page_id IS NULL OR t.page_id = x.page_id) AND t.valid_to = 'infinity' LIMIT 1) t ON true
    WHERE (t.document_id IS NOT NULL OR x.to_kind = 'folder' OR (x.to_native_id IS NULL AND b.source_id IS NULL))
      AND (NOT %(among)s OR CASE WHEN t.document_id IS NULL THEN x.to_key IN (SELECT key FROM known)
                                 ELSE (t.source_id, t.document_id) IN (SELECT source_id, document_id FROM known) END)
    UNION ALL
    SELECT x.place, false, x.source_id, x.relationship_id, x.type, x.page_id, x.revision_id, x.start_char, x.end_char, x.label,
           f.source_id, f.doc_type, f.native_id, f.document_id, coalesce(f.page_id, f.document_id)
    FROM (SELECT a.* FROM arriving a
          ORDER BY a.turn, a.source_id, a.relationship_id, a.key OFFSET %(start)s LIMIT %(most)s::int) x
    CROSS JOIN LATERAL (SELECT f.source_id, f.doc_type, f.native_id, f.document_id, f.page_id FROM document f
        WHERE f.source_id = x.source_id AND f.document_id = x.from_document_id AND f.valid_to = 'infinity' OFFSET 0) f)
SELECT e.*, c.place AS cut, n.total
FROM (SELECT (SELECT count(*) FROM leaving) + (SELECT count(*) FROM arriving) AS total) n
LEFT JOIN (edges e FULL JOIN cut c ON c.place = e.place) ON true

-- name: graph_sections_below
-- The sections of pages and below sections, at any depth, in the order in which they stand. All sections of a page belong to its
-- revision, so they are read at once; those below a section are found level by level.
WITH RECURSIVE below AS (
    SELECT w.place, w.document_id <> w.page_id AS descend, s.source_id, s.revision_id, s.document_id, s.slug, s.ordinal
    FROM unnest(%(sources)s::int[], %(documents)s::bigint[], %(pages)s::bigint[]) WITH ORDINALITY
         AS w (source_id, document_id, page_id, place)
    CROSS JOIN LATERAL (SELECT r.revision_id FROM revision r WHERE r.source_id = w.source_id AND r.document_id = w.page_id
          AND r.valid_to = 'infinity' OFFSET 0) r
    JOIN section s ON s.source_id = w.source_id AND s.revision_id = r.revision_id
         AND (s.document_id = w.document_id OR w.document_id = w.page_id)
    WHERE w.source_id = ANY(%(source_ids)s)
    UNION
    SELECT b.place, b.descend, s.source_id, s.revision_id, s.document_id, s.slug, s.ordinal
    FROM below b JOIN section s ON s.source_id = b.source_id AND s.revision_id = b.revision_id AND s.parent_slug = b.slug
    WHERE b.descend)
SELECT d.source_id, d.doc_type, d.native_id, d.document_id, d.page_id
FROM (SELECT source_id, document_id, min(ARRAY[place, ordinal]) AS position FROM below GROUP BY source_id, document_id
      ORDER BY position LIMIT %(limit)s) b
JOIN document d ON d.source_id = b.source_id AND d.document_id = b.document_id
ORDER BY b.position

-- name: graph_edge_counts
-- How many edges of each type there are between what the allowed sources hold.
SELECT x.type, count(*)::int AS edges
FROM relationship x
WHERE x.source_id = ANY(%(source_ids)s) AND x.valid_to = 'infinity' AND x.to_key IS NOT NULL AND x.type <> 'mentions'
  AND (x.to_native_id IS NULL OR x.to_kind = 'folder' OR EXISTS (
       SELECT 1 FROM document d WHERE d.source_id = ANY(%(source_ids)s) AND d.valid_to = 'infinity'
         AND node_key(d.source_id, d.doc_type, d.native_id) = x.to_key))
GROUP BY x.type
UNION ALL
SELECT x.type, count(*)::int FROM relationship x
WHERE x.source_id = ANY(%(source_ids)s) AND x.valid_to = 'infinity' AND x.type = 'mentions' AND x.to_key IN (
      SELECT b.to_key FROM relationship b WHERE b.source_id = ANY(%(source_ids)s) AND b.valid_to = 'infinity'
        AND b.type IN ('named', 'defines') AND b.to_kind = 'term')
GROUP BY x.type

-- name: graph_node_counts
SELECT d.doc_type AS kind, count(*)::int AS nodes FROM document d
WHERE d.source_id = ANY(%(source_ids)s) AND d.valid_to = 'infinity' GROUP BY d.doc_type
UNION ALL
SELECT x.to_kind, count(DISTINCT x.to_key)::int FROM relationship x
WHERE x.source_id = ANY(%(source_ids)s) AND x.valid_to = 'infinity' AND x.to_key IS NOT NULL
  AND x.type <> 'mentions' AND (x.to_native_id IS NULL OR x.to_kind = 'folder')
GROUP BY x.to_kind

-- name: graph_card_parts (columns)
LEFT JOIN LATERAL (SELECT p.doc_type, p.native_id FROM document p
    WHERE p.source_id = d.source_id AND p.document_id = coalesce(d.page_id, d.document_id) LIMIT 1) p ON true
LEFT JOIN LATERAL (SELECT r.revision_id, r.version, r.title, r.url, r.metadata ->> 'element_type' AS element_type
    FROM revision r WHERE r.source_id = d.source_id AND r.document_id = coalesce(d.page_id, d.document_id)
      AND r.valid_to = 'infinity' OFFSET 0) r ON true
LEFT JOIN LATERAL (SELECT x.slug, x.title FROM section x WHERE d.page_id IS NOT NULL
      AND x.source_id = d.source_id AND x.revision_id = r.revision_id AND x.document_id = d.document_id OFFSET 0) x ON true
LEFT JOIN LATERAL (SELECT c.chunk_id FROM chunk c WHERE c.source_id = d.source_id AND c.revision_id = r.revision_id
      AND (d.page_id IS NULL OR c.document_id = d.document_id) ORDER BY c.ordinal LIMIT 1) c ON true

-- name: graph_shown (planned once)
-- What documents and sections are called, which page vouches for them, and the chunk that they begin with; and, in rows with a
-- `place`, the lines of places in revisions, 1-based and inclusive.
SELECT NULL::int AS place, {graph_card}, NULL::int AS first_line, NULL::int AS more_lines
FROM unnest(%(sources)s::int[], %(documents)s::bigint[]) AS w (source_id, document_id)
CROSS JOIN LATERAL (SELECT d.source_id, d.document_id, d.page_id FROM document d
    WHERE d.source_id = w.source_id AND d.document_id = w.document_id AND d.valid_to = 'infinity' OFFSET 0) d
{graph_card_parts}
WHERE d.source_id = ANY(%(source_ids)s) AND r.revision_id IS NOT NULL
UNION ALL
SELECT w.place::int, w.source_id, NULL, NULL, NULL, NULL, w.revision_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       1 + length(r.before) - length(replace(r.before, E'\n', '')), length(r.inside) - length(replace(r.inside, E'\n', ''))
FROM unnest(%(edge_sources)s::int[], %(revisions)s::bigint[], %(starts)s::int[], %(ends)s::int[]) WITH ORDINALITY
     AS w (source_id, revision_id, start_char, end_char, place)
CROSS JOIN LATERAL (SELECT whole_body(r.body, r.body_from, r.source_id, r.revision_id) AS body
    FROM revision r WHERE r.source_id = w.source_id AND r.revision_id = w.revision_id OFFSET 0) t
CROSS JOIN LATERAL (SELECT left(t.body, w.start_char) AS before,
        substr(t.body, w.start_char + 1, greatest(w.end_char - w.start_char - 1, 0)) AS inside OFFSET 0) r
WHERE w.source_id = ANY(%(source_ids)s)

-- name: graph_exists
SELECT EXISTS (SELECT 1 FROM relationship x
               WHERE x.source_id = ANY(%(source_ids)s) AND x.valid_to = 'infinity' AND x.to_key IS NOT NULL
                 AND x.type <> 'mentions') AS found

-- name: graph_near_documents
-- Documents whose id or title holds one of some words, those that hold most of them first.
SELECT d.source_id, d.document_id, coalesce(d.page_id, d.document_id) AS page_id, d.doc_type, d.native_id
FROM document d
LEFT JOIN LATERAL (SELECT r.title FROM revision r WHERE d.page_id IS NULL AND r.source_id = d.source_id
      AND r.document_id = d.document_id AND r.valid_to = 'infinity' OFFSET 0) r ON true
CROSS JOIN LATERAL (SELECT count(*) AS held FROM unnest(%(words)s::text[]) AS w (word)
    WHERE strpos(lower(concat_ws(' ', d.native_id, r.title)), w.word) > 0) h
WHERE d.source_id = ANY(%(source_ids)s) AND d.valid_to = 'infinity' AND h.held > 0
ORDER BY h.held DESC, length(d.native_id), d.native_id COLLATE "C", d.source_id LIMIT %(limit)s

-- name: graph_near_entities
SELECT DISTINCT x.to_kind, coalesce(x.to_name, regexp_replace(x.to_url, '^mailto:', '')) AS name
FROM relationship x
WHERE x.source_id = ANY(%(source_ids)s) AND x.valid_to = 'infinity' AND x.to_native_id IS NULL AND x.to_kind = %(kind)s
  AND x.type <> 'mentions'
  AND EXISTS (SELECT 1 FROM unnest(%(words)s::text[]) AS w (word)
              WHERE strpos(lower(coalesce(x.to_name, x.to_url)), w.word) > 0)
LIMIT %(limit)s
