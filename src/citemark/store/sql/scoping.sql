-- name: source_states
-- What can be asked of each source now, and what stands in the way. Vectors are counted of the set that answers questions.
SELECT s.source_id, c.last_complete_at, c.reason, (c.lease_until > clock_timestamp()) IS TRUE AS scanning,
       x.refused, x.retry_at,
       (SELECT count(*) FROM document d WHERE d.source_id = s.source_id AND d.page_id IS NULL AND d.valid_to = 'infinity')
           AS documents,
       (SELECT coalesce(jsonb_object_agg(r.language, r.documents), '{}')
        FROM (SELECT r.language, count(*) AS documents FROM revision r
              WHERE r.source_id = s.source_id AND r.valid_to = 'infinity' GROUP BY r.language) r) AS languages,
       (SELECT count(*) FROM item i WHERE i.source_id = s.source_id AND NOT i.parked
          AND i.wanted_version IS DISTINCT FROM i.indexed_version) AS texts_waiting,
       (SELECT count(*) FROM vector_task v JOIN embedding_set e USING (embedding_set_id)
        WHERE v.source_id = s.source_id AND e.state = 'active' AND v.tries < 5) AS vectors_waiting,
       (SELECT count(*) FROM problem p WHERE p.source_id = s.source_id) AS problems
FROM source s JOIN scan c USING (source_id) LEFT JOIN source_secret x USING (source_id)
WHERE s.source_id = ANY(%(source_ids)s)

-- name: stop_words
-- How many of these words each language has in its list of stop words.
SELECT left(d.dictname, -5) AS language, count(*) AS words
FROM pg_ts_dict d CROSS JOIN unnest(%(words)s::text[]) w
WHERE d.dictname LIKE '%%\_stem' AND pg_ts_dict_is_visible(d.oid) AND ts_lexize(d.oid::regdictionary, w) = '{}'
GROUP BY d.dictname

-- name: limits_known
-- Which of the values that a caller limits a call to any source or document of theirs has, as these spell it. One that is
-- known is found soon; one that is not costs a look at every document, once, before it is refused.
WITH mine AS MATERIALIZED (
    SELECT s.source_id, s.name, s.environment, s.repository, s.tags FROM source s
    WHERE s.tenant = %(tenant)s AND (s.project_id IS NULL OR s.project_id = %(project_id)s)
      AND s.config -> 'sync' IS DISTINCT FROM 'false'::jsonb
      AND EXISTS (SELECT 1 FROM source_grant g WHERE g.source_id = s.source_id AND g.grantee = ANY(%(grantees)s))
      AND (%(kind)s::text IS NULL OR s.kind = %(kind)s)
      AND (%(source)s::text IS NULL OR s.name = %(source)s OR %(source)s = ANY(s.former_names)))
SELECT q.kind, q.value, CASE q.kind
    WHEN 'environment' THEN ARRAY(SELECT q.value FROM mine WHERE environment = q.value LIMIT 1)
    WHEN 'repository' THEN ARRAY(SELECT q.value FROM mine WHERE repository = q.value LIMIT 1)
    WHEN 'source_tag' THEN ARRAY(SELECT q.value FROM mine WHERE q.value = ANY(tags) LIMIT 1)
    WHEN 'document_tag' THEN ARRAY(
        SELECT q.value FROM mine m WHERE q.value = ANY(m.tags || m.name) OR EXISTS (
            SELECT 1 FROM document d CROSS JOIN LATERAL (SELECT r.tags FROM revision r
                WHERE r.source_id = d.source_id AND r.document_id = d.document_id AND r.valid_to = 'infinity' OFFSET 0) r
            WHERE d.source_id = m.source_id AND d.valid_to = 'infinity' AND d.page_id IS NULL AND (q.value = ANY(r.tags) OR normalize(q.value) = ANY(r.tags)))
        LIMIT 1)
    WHEN 'capability' THEN ARRAY(
        SELECT DISTINCT v.value FROM mine m
        JOIN document d ON d.source_id = m.source_id AND d.valid_to = 'infinity' AND d.page_id IS NULL
             AND (%(doc_types)s::text[] = '{}' OR d.doc_type = ANY(%(doc_types)s::text[]))
        CROSS JOIN LATERAL (SELECT r.metadata FROM revision r
            WHERE r.source_id = d.source_id AND r.document_id = d.document_id AND r.valid_to = 'infinity' OFFSET 0) r
        CROSS JOIN LATERAL unnest(string_to_array(r.metadata ->> 'capability', E'\n')) AS v (value)
        WHERE lower(v.value) = lower(q.value) LIMIT %(spellings)s)
    ELSE ARRAY(
        SELECT q.value FROM mine m
        JOIN document d ON d.source_id = m.source_id AND d.valid_to = 'infinity' AND d.page_id IS NULL
             AND (%(doc_types)s::text[] = '{}' OR d.doc_type = ANY(%(doc_types)s::text[]))
        CROSS JOIN LATERAL (SELECT r.tags, r.labels, r.metadata, r.properties FROM revision r
            WHERE r.source_id = d.source_id AND r.document_id = d.document_id AND r.valid_to = 'infinity' OFFSET 0) r
        WHERE CASE q.kind WHEN 'path_prefix' THEN starts_with(normalize(coalesce(r.metadata ->> %(path_key)s::text, d.native_id)), normalize(q.value))
              WHEN 'property' THEN coalesce(
                  r.properties -> split_part(q.value, '=', 1) ? substr(q.value, strpos(q.value, '=') + 1), false)
              ELSE ARRAY[q.value, normalize(q.value)] && r.labels END
        LIMIT 1)
    END AS spelled
FROM unnest(%(kinds)s::text[], %(values)s::text[]) AS q (kind, value)

-- name: limits_there
-- The values that there are of some kinds, those of most documents first: what a caller may have meant.
WITH mine AS MATERIALIZED (
    SELECT s.source_id, s.name, s.environment, s.repository, s.tags FROM source s
    WHERE s.tenant = %(tenant)s AND (s.project_id IS NULL OR s.project_id = %(project_id)s)
      AND s.config -> 'sync' IS DISTINCT FROM 'false'::jsonb
      AND EXISTS (SELECT 1 FROM source_grant g WHERE g.source_id = s.source_id AND g.grantee = ANY(%(grantees)s))
      AND (%(kind)s::text IS NULL OR s.kind = %(kind)s)
      AND (%(source)s::text IS NULL OR s.name = %(source)s OR %(source)s = ANY(s.former_names))),
pages AS (
    SELECT k.kind, v.value FROM unnest(%(kinds)s::text[]) AS k (kind)
    CROSS JOIN mine m JOIN document d ON d.source_id = m.source_id AND d.valid_to = 'infinity' AND d.page_id IS NULL
         AND (%(doc_types)s::text[] = '{}' OR d.doc_type = ANY(%(doc_types)s::text[]))
    CROSS JOIN LATERAL (SELECT r.tags, r.labels, r.metadata, r.properties FROM revision r
        WHERE r.source_id = d.source_id AND r.document_id = d.document_id AND r.valid_to = 'infinity' OFFSET 0) r
    CROSS JOIN LATERAL unnest(CASE k.kind
        WHEN 'document_tag' THEN r.tags
        WHEN 'label' THEN r.labels
        WHEN 'capability' THEN string_to_array(r.metadata ->> 'capability', E'\n')
        WHEN 'property' THEN ARRAY(SELECT p.key || '=' || v FROM jsonb_each(r.properties) p
                                   CROSS JOIN LATERAL jsonb_array_elements_text(p.value) v)
        WHEN 'path_prefix' THEN ARRAY[regexp_replace(coalesce(r.metadata ->> %(path_key)s::text, d.native_id), '/[^/]*$', '/')]
        END) AS v (value)
    WHERE k.kind IN ('document_tag', 'label', 'capability', 'path_prefix', 'property')),
known AS (
    SELECT kind, value FROM pages
    UNION ALL SELECT 'environment', environment FROM mine
    UNION ALL SELECT 'repository', repository FROM mine
    UNION ALL SELECT 'source_tag', unnest(tags) FROM mine
    UNION ALL SELECT 'document_tag', unnest(tags || name) FROM mine)
SELECT kind, value FROM known WHERE kind = ANY(%(kinds)s::text[]) AND value <> ''
GROUP BY kind, value ORDER BY count(*) DESC, value LIMIT %(most)s
