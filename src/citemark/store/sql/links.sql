-- name: links_broken
-- Links to documents that the source does not hold, and to places that their document does not have. A place is a
-- heading, by its own slug, by the one that renderers number, or any name that the text gives an element of its own; one
-- spelled with character references is not judged. Appending nothing to a body unpacks it once for all places in it.
WITH headings AS MATERIALIZED (
    SELECT DISTINCT s.revision_id, n.name
    FROM section s JOIN revision v ON v.source_id = s.source_id AND v.revision_id = s.revision_id
         AND v.valid_to = 'infinity'
    CROSS JOIN LATERAL (VALUES (s.slug), (split_part(s.slug, '/', -1)),
                               (split_part(split_part(s.slug, '/', -1), '~', 1))) n (name)
    WHERE s.source_id = %(source_id)s),
links AS MATERIALIZED (
    SELECT r.page_id, r.start_char, r.end_char, r.to_native_id, split_part(r.to_native_id, '#', 1) AS page,
           split_part(r.to_native_id, '#', 2) AS place,
           rtrim(rtrim(split_part(r.to_native_id, '#', 2), '0123456789'), '-') AS unnumbered
    FROM relationship r
    WHERE r.source_id = %(source_id)s AND r.valid_to = 'infinity' AND r.type = 'links_to' AND r.to_native_id IS NOT NULL),
unknown AS MATERIALIZED (
    SELECT l.*, p.document_id AS target_id, n.revision_id
    FROM links l
    LEFT JOIN document p ON p.source_id = %(source_id)s AND p.native_id = l.page AND p.page_id IS NULL
         AND p.valid_to = 'infinity'
    LEFT JOIN revision n ON n.source_id = p.source_id AND n.document_id = p.document_id AND n.valid_to = 'infinity'
    WHERE (p.document_id IS NULL OR (l.place <> '' AND strpos(l.place, '&') = 0))
      AND NOT EXISTS (SELECT 1 FROM headings h WHERE h.revision_id = n.revision_id AND h.name = l.place)
      AND NOT EXISTS (SELECT 1 FROM headings h WHERE h.revision_id = n.revision_id AND h.name = l.unnumbered)),
texts AS MATERIALIZED (
    SELECT n.revision_id, n.body || '' AS body FROM revision n
    WHERE n.source_id = %(source_id)s AND n.revision_id IN (SELECT u.revision_id FROM unknown u)),
broken AS MATERIALIZED (
    SELECT u.*, d.native_id, count(*) OVER () AS total
    FROM unknown u
    JOIN document d ON d.source_id = %(source_id)s AND d.document_id = u.page_id AND d.valid_to = 'infinity'
    LEFT JOIN texts n USING (revision_id)
    WHERE u.target_id IS NULL
       OR (NOT (starts_with(u.place, '^') AND strpos(n.body, u.place) > 0)
           AND strpos(n.body, u.place || '"') = 0 AND strpos(n.body, '#' || u.place || '}') = 0)
    ORDER BY d.native_id, u.start_char LIMIT %(limit)s)
SELECT b.native_id, b.to_native_id, b.target_id IS NOT NULL AS page_found, b.total,
       substr(v.body, b.start_char + 1, b.end_char - b.start_char) AS written,
       1 + length(left(v.body, b.start_char)) - length(replace(left(v.body, b.start_char), E'\n', '')) AS line
FROM broken b JOIN revision v ON v.source_id = %(source_id)s AND v.document_id = b.page_id AND v.valid_to = 'infinity'
ORDER BY b.native_id, b.start_char
