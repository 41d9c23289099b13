-- name: backup_counts
SELECT (SELECT max(version) FROM schema_version) AS schema,
       (SELECT count(*) FROM source) AS sources,
       (SELECT count(*) FROM document WHERE valid_to = 'infinity' AND page_id IS NULL) AS documents,
       (SELECT count(*) FROM revision) AS revisions,
       (SELECT count(*) FROM source_secret) AS passwords,
       current_setting('server_version_num')::int / 10000 AS postgres

-- name: backup_holds_nothing
-- Whether a database has no table of its own yet.
SELECT NOT EXISTS (SELECT FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace)
