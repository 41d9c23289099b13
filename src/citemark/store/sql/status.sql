-- name: status_sources
SELECT s.source_id, s.name, s.kind, s.paused,
       c.wanted AS scan_wanted, c.started_at, c.finished_at, c.last_complete_at, c.listed, c.reason,
       x.refused, x.retry_at,
       (c.lease_until > clock_timestamp()) IS TRUE AS scanning,
       CASE WHEN c.watched_until > clock_timestamp() THEN c.watching ELSE '' END AS watching,
       CASE WHEN c.watched_until > clock_timestamp() THEN c.watched_by ELSE '' END AS watched_by,
       (SELECT count(*) FROM document d WHERE d.source_id = s.source_id AND d.page_id IS NULL AND d.valid_to = 'infinity')
           AS documents,
       t.chunks + (SELECT count(*) FILTER (WHERE NOT x.gone) - count(*) FILTER (WHERE x.gone) FROM chunk_delta x
                   WHERE x.source_id = s.source_id)
           AS chunks,
       (SELECT count(*) FROM vector_task v WHERE v.source_id = s.source_id AND v.embedding_set_id = %(set)s AND v.tries < 5)
           AS vectors_waiting,
       (SELECT count(*) FROM vector_task v WHERE v.source_id = s.source_id AND v.embedding_set_id = %(set)s)
           AS vectors_missing,
       (SELECT count(*) FROM vector_task v WHERE v.source_id = s.source_id AND v.embedding_set_id = %(set)s
          AND v.rank = 0 AND NOT v.past) AS firsts_missing,
       (SELECT count(*) FROM revision r JOIN chunk c USING (source_id, revision_id)
        WHERE r.source_id = s.source_id AND r.words_from IS NOT NULL AND r.valid_to = 'infinity'
          AND c.ordinal >= r.words_from) AS by_words_only,
       (SELECT count(*) FROM item i WHERE i.source_id = s.source_id AND NOT i.parked
          AND i.wanted_version IS DISTINCT FROM i.indexed_version) AS texts_waiting,
       (SELECT count(*) FROM item i WHERE i.source_id = s.source_id AND i.parked
          AND i.wanted_version IS DISTINCT FROM i.indexed_version) AS failed,
       (SELECT count(*) FROM problem p WHERE p.source_id = s.source_id) AS problems,
       (SELECT coalesce(jsonb_object_agg(r.language, r.documents), '{}')
        FROM (SELECT r.language, count(*) AS documents FROM revision r
              WHERE r.source_id = s.source_id AND r.valid_to = 'infinity' GROUP BY r.language) r) AS languages,
       coalesce((SELECT sum(w.amount) FROM work_done w WHERE w.source_id = s.source_id AND w.kind = 'text'
          AND w.slot >= clock_timestamp() - interval '60 seconds'), 0)::float8 / 60 AS texts_per_second,
       coalesce((SELECT sum(w.amount) FROM work_done w WHERE w.source_id = s.source_id AND w.kind = 'vector'
          AND w.slot >= clock_timestamp() - interval '60 seconds'), 0)::float8 / 60 AS vectors_per_second
FROM source s JOIN scan c USING (source_id) JOIN source_stat t USING (source_id) LEFT JOIN source_secret x USING (source_id)
WHERE s.tenant = %(tenant)s
ORDER BY s.name

-- name: database_size
SELECT pg_database_size(current_database()) AS bytes, current_setting('server_version') AS server,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       index_partitions() AS partitions

-- name: languages
SELECT cfgname FROM pg_ts_config WHERE pg_ts_config_is_visible(oid) ORDER BY cfgname
