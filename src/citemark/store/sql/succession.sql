-- name: document_successor
-- What took over from a document, living or not: a name may have been passed on since. The living come first.
SELECT d.native_id FROM relationship r
JOIN document d ON d.source_id = r.source_id AND d.document_id = r.from_document_id
WHERE r.source_id = %(source_id)s AND r.type = 'succeeds' AND r.to_native_id = %(native_id)s
ORDER BY d.valid_to DESC, r.valid_from DESC, d.native_id LIMIT 1

-- name: pages_unpaired
-- Pages whose life ended and was not succeeded, and pages that began around then: renamed files, among all that came and went
-- since that was settled last, whoever read or ended it. The two halves are not joined here: a folder of any size may have
-- moved. Texts are digested only where one of the other half is as long, and while nothing has ended, what began is not read:
-- that is everything during a first sync.
-- Renames are settled up to a minute before they were looked for. `early` is what was there by then and is only followed by
-- what comes within another minute, and `late` is what comes later than that.
-- The ids of elements and views outlast any renaming: one with another id is another, however alike they read.
WITH ended AS MATERIALIZED (
    SELECT o.document_id, o.native_id, o.doc_type, o.valid_to AS since, r.revision_id, r.body, octet_length(r.body) AS size,
           o.valid_to < c.renames_until + interval '1 minute' AS early,
           o.valid_to > c.renames_until + interval '2 minutes' AS late
    FROM scan c JOIN document o USING (source_id) JOIN LATERAL (
        SELECT * FROM revision r WHERE r.source_id = o.source_id AND r.document_id = o.document_id
        ORDER BY r.valid_to DESC LIMIT 1) r ON true
    WHERE c.source_id = %(source_id)s AND o.page_id IS NULL AND o.valid_to >= c.renames_until AND o.valid_to < 'infinity'
      AND o.doc_type NOT IN ('element', 'view')
      AND NOT EXISTS (SELECT 1 FROM document d WHERE d.source_id = o.source_id AND d.doc_type = o.doc_type
                      AND d.native_id = o.native_id AND d.valid_to = 'infinity')
      AND NOT EXISTS (SELECT 1 FROM relationship x WHERE x.source_id = o.source_id AND x.type = 'succeeds'
                      AND x.to_native_id = o.native_id AND x.valid_from >= o.valid_to)),
begun AS MATERIALIZED (
    SELECT n.document_id, n.native_id, n.doc_type, r.valid_from AS since, r.revision_id, r.body, octet_length(r.body) AS size,
           n.valid_from < c.renames_until + interval '1 minute' AS early,
           n.valid_from > c.renames_until + interval '2 minutes' AS late
    FROM scan c JOIN document n USING (source_id) JOIN revision r
         ON r.source_id = n.source_id AND r.document_id = n.document_id AND r.valid_to = 'infinity'
    WHERE c.source_id = %(source_id)s AND n.page_id IS NULL AND n.valid_to = 'infinity' AND n.valid_from >= c.renames_until
      AND NOT EXISTS (SELECT 1 FROM relationship x WHERE x.source_id = n.source_id AND x.type = 'succeeds'
                      AND x.from_document_id = n.document_id AND x.valid_to = 'infinity'))
SELECT false AS begun, document_id, native_id, doc_type, since, revision_id, size, early, late,
       CASE WHEN size IN (SELECT size FROM begun) THEN md5(body) END AS text_digest
FROM ended
UNION ALL
SELECT true, document_id, native_id, doc_type, since, revision_id, size, early, late,
       CASE WHEN size IN (SELECT size FROM ended) THEN md5(body) END
FROM begun WHERE EXISTS (SELECT 1 FROM ended)
ORDER BY native_id

-- name: revision_texts
SELECT r.revision_id, whole_body(r.body, r.body_from, r.source_id, r.revision_id) AS body
FROM revision r WHERE r.source_id = %(source_id)s AND r.revision_id = ANY(%(revision_ids)s::bigint[])

-- name: renames_settled
-- Whether all that is listed has been read, and nothing is missed that may be gone: no half of a rename is still to come.
SELECT NOT EXISTS (SELECT 1 FROM item WHERE source_id = %(source_id)s
                   AND wanted_version IS DISTINCT FROM indexed_version AND NOT parked)
       AND NOT EXISTS (SELECT 1 FROM item WHERE source_id = %(source_id)s AND missing_since IS NOT NULL) AS settled

-- name: renames_settle (repeatable)
-- A listing that runs while a file moves may see neither name; the next one finds the new name within the minute.
UPDATE scan SET renames_until = greatest(renames_until, %(until)s::timestamptz - interval '1 minute')
WHERE source_id = %(source_id)s

-- name: pair_hold
-- Of processes that found the same pair, or pairs that share a page, one states it first; the others see that then.
SELECT document_id FROM document WHERE source_id = %(source_id)s AND document_id IN (%(old_id)s, %(new_id)s)
ORDER BY document_id FOR NO KEY UPDATE

-- name: pair_free
-- Whether the new page is still there, and neither of the two is one of another pair by now.
SELECT 1 FROM document o JOIN revision r
     ON r.source_id = o.source_id AND r.document_id = %(new_id)s AND r.valid_to = 'infinity'
WHERE o.source_id = %(source_id)s AND o.document_id = %(old_id)s
  AND NOT EXISTS (SELECT 1 FROM relationship x WHERE x.source_id = o.source_id AND x.type = 'succeeds'
                  AND (x.from_document_id = r.document_id AND x.valid_to = 'infinity'
                       OR x.to_native_id = o.native_id AND x.valid_from >= o.valid_to))
