-- name: source_states
-- What can be asked of each source now, and what stands in the way. Vectors are counted of the set that answers questions.
-- Only with %(contents)s are documents and vectors counted, which reads something of every document. Of what waits, the first is
-- looked for in the order of item_waiting: the planner believes that nearly every item waits, and would read them all.
SELECT s.source_id, c.last_complete_at, c.reason, (c.lease_until > clock_timestamp()) IS TRUE AS scanning,
       x.refused, x.retry_at,
       CASE WHEN NOT %(contents)s THEN 0 ELSE (
           SELECT count(*) FROM document d
           WHERE d.source_id = s.source_id AND d.page_id IS NULL AND d.valid_to = 'infinity') END AS documents,
       CASE WHEN NOT %(contents)s THEN '{}' ELSE (
           SELECT coalesce(jsonb_object_agg(r.language, r.documents), '{}')
           FROM (SELECT r.language, count(*) AS documents FROM revision r
                 WHERE r.source_id = s.source_id AND r.valid_to = 'infinity' GROUP BY r.language) r) END AS languages,
       CASE WHEN w.first IS NULL THEN 0 ELSE (
           SELECT count(*) FROM item i WHERE i.source_id = s.source_id AND NOT i.parked
             AND i.wanted_version IS DISTINCT FROM i.indexed_version) END AS texts_waiting,
       CASE WHEN NOT %(contents)s THEN 0 ELSE (
           SELECT count(*) FROM vector_task v JOIN embedding_set e USING (embedding_set_id)
           WHERE v.source_id = s.source_id AND e.state = 'active' AND v.tries < 5) END AS vectors_waiting,
       (SELECT count(*) FROM problem p WHERE p.source_id = s.source_id) AS problems
FROM source s JOIN scan c USING (source_id) LEFT JOIN source_secret x USING (source_id)
LEFT JOIN LATERAL (
    SELECT i.native_id AS first FROM item i
    WHERE i.source_id = s.source_id AND NOT i.parked AND i.wanted_version IS DISTINCT FROM i.indexed_version
    ORDER BY i.retry_at, i.native_id LIMIT 1) w ON true
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

-- name: documents_counted
-- How many documents of a moment there are by each value of each facet. A page counts for a facet if it passes all limits
-- but that facet's own. Pages that are alike in all of this are counted together before their values are taken apart.
WITH alike AS MATERIALIZED (
    SELECT s.name, s.tags, d.doc_type, r.language, r.labels, r.year, r.failed, count(*) AS documents
    FROM document d JOIN source s USING (source_id)
    CROSS JOIN LATERAL (
        SELECT r.language, r.labels, extract(year FROM u.updated_at AT TIME ZONE 'UTC')::int::text AS year, array_remove(ARRAY[
                   CASE WHEN s.source_id <> ALL(%(of_source)s) THEN 'source' END,
                   CASE WHEN s.source_id <> ALL(%(of_tag)s) THEN 'tag' END,
                   CASE WHEN %(doc_types)s::text[] <> '{}' AND d.doc_type <> ALL(%(doc_types)s::text[]) THEN 'kind' END,
                   CASE WHEN %(languages)s::text[] <> '{}' AND r.language <> ALL(%(languages)s::text[]) THEN 'language' END,
                   CASE WHEN %(labels)s::text[] <> '{}' AND NOT r.labels && %(labels)s::text[] THEN 'label' END,
                   CASE WHEN u.updated_at <= %(updated_after)s::timestamptz
                          OR u.updated_at >= %(updated_before)s::timestamptz THEN 'year' END], NULL) AS failed
        FROM revision r
        CROSS JOIN LATERAL (SELECT coalesce(date_then(r.modified_at, r.touched_at, r.dates_before, %(at)s), r.valid_from)
                                       AS updated_at) u
        WHERE r.source_id = d.source_id AND r.document_id = d.document_id AND r.valid_from <= %(at)s AND r.valid_to > %(at)s
          AND (%(path_prefixes)s::text[] = '{}' OR EXISTS (
               SELECT 1 FROM unnest(%(path_prefixes)s::text[]) prefix
               WHERE starts_with(normalize(coalesce(r.metadata ->> %(path_key)s::text, d.native_id)), normalize(prefix))))
        OFFSET 0) r
    WHERE d.source_id = ANY(%(source_ids)s) AND d.valid_from <= %(at)s AND d.valid_to > %(at)s AND d.page_id IS NULL
    GROUP BY s.name, s.tags, d.doc_type, r.language, r.labels, r.year, r.failed),
counted AS (
    SELECT v.facet, v.value, sum(a.documents)::bigint AS documents
    FROM alike a CROSS JOIN LATERAL (
        VALUES ('source', a.name), ('kind', a.doc_type), ('language', a.language), ('year', a.year)
        UNION ALL SELECT 'tag', unnest(a.tags) UNION ALL SELECT 'label', unnest(a.labels)) AS v (facet, value)
    WHERE a.failed <@ ARRAY[v.facet] GROUP BY v.facet, v.value)
SELECT facet, value, documents FROM (
    SELECT c.*, row_number() OVER (PARTITION BY facet ORDER BY documents DESC, value) AS place FROM counted c) c
WHERE place <= %(most)s
ORDER BY facet, CASE facet WHEN 'year' THEN value END DESC, documents DESC, value
