-- name: source_states
-- What can be asked of each source now, and what stands in the way. Vectors are counted of the set that answers questions.
SELECT s.source_id, c.last_complete_at, c.reason, (c.lease_until > clock_timestamp()) IS TRUE AS scanning,
       coalesce(x.refused, '') AS refused,
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
