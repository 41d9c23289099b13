-- name: commit_without_waiting
-- For work that can be done again. Foreign keys are checked by plans that the server keeps: a first load would have it
-- keep plans that were made for empty tables.
SELECT set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true)

-- name: server_versions
SELECT current_setting('server_version_num')::int, current_setting('server_version'),
       (SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector')

-- name: migration_lock
SELECT pg_advisory_xact_lock(%(key)s)

-- name: migration_version
SELECT to_regclass('schema_version') IS NOT NULL

-- name: migrations_done
SELECT version FROM schema_version

-- name: migration_record
INSERT INTO schema_version (version, name) VALUES (%(version)s, %(name)s)

-- name: announce_writer
-- The lock's key is the moment before the write: 8 bits of tag, 56 bits of microseconds since 2020.
SELECT pg_advisory_xact_lock_shared((67::bigint << 56)
    | (extract(epoch FROM clock_timestamp() - timestamptz '2020-01-01 00:00:00+00') * 1000000)::bigint)

-- name: recorded_time
SELECT clock_timestamp() AS at

-- name: read_horizon
-- No transaction that is still running will record anything at or before this instant.
SELECT least(statement_timestamp(), min(timestamptz '2020-01-01 00:00:00+00'
           + ((((l.classid::bigint << 32) | l.objid::bigint) & ((1::bigint << 56) - 1)) * interval '1 microsecond')))
       - interval '1 microsecond' AS horizon
FROM pg_locks l
WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND (l.classid::bigint >> 24) = 67
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())

-- name: recorded_since
-- Whether anything came, changed or went in some sources after a moment. Chunks tell of what stands around a page, too.
SELECT EXISTS (SELECT 1 FROM revision WHERE source_id = ANY(%(source_ids)s::int[])
                 AND (valid_from > %(moment)s OR valid_to > %(moment)s AND valid_to < 'infinity'))
    OR EXISTS (SELECT 1 FROM chunk WHERE source_id = ANY(%(source_ids)s::int[])
                 AND (valid_from > %(moment)s OR valid_to > %(moment)s AND valid_to < 'infinity')) AS recorded

-- name: database_exists
SELECT 1 FROM pg_database WHERE datname = %(name)s
