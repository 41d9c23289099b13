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

-- name: tables_divide
SELECT divide_tables(%(names)s::text[], %(partitions)s)

-- name: index_divided
-- Into how many partitions; before there is an index, none.
SELECT count(*)::int AS partitions FROM pg_inherits WHERE inhparent = to_regclass('chunk')

-- name: partitions_of
-- The partitions that sources are in, counted from 0: of each, the one whose rule its hash meets.
SELECT s.source_id, p.number AS partition
FROM unnest(%(source_ids)s::int[]) AS s (source_id),
     (SELECT count(*)::int AS partitions FROM pg_inherits WHERE inhparent = 'chunk'::regclass) AS d,
     generate_series(0, d.partitions - 1) AS p (number)
WHERE satisfies_hash_partition('chunk'::regclass, d.partitions, p.number, s.source_id)

-- name: migration_record
INSERT INTO schema_version (version, name) VALUES (%(version)s, %(name)s)

-- name: announce_writer
-- The lock's key is the moment before the write: 8 bits of tag, 56 bits of microseconds since 2020.
SELECT pg_advisory_xact_lock_shared((67::bigint << 56)
    | (extract(epoch FROM clock_timestamp() - timestamptz '2020-01-01 00:00:00+00') * 1000000)::bigint)

-- name: log_flush
-- Committing anything durably takes everything before it to the disk; `lsn` is where it stands in the log.
SELECT pg_logical_emit_message(true, 'citemark', '')::text AS lsn

-- name: recorded_time
SELECT clock_timestamp() AS at

-- name: read_horizon (planned once)
-- No transaction that is still running will record anything at or before this instant. `unflushed`: a page was written
-- lately and some of the log is not on disk, so that a crash could still take back what stands before this instant. `lsn`, which
-- is read after the locks and after that, is where a replica has to be on `timeline` to have all that is on this disk; the
-- name of a file of the log begins with the timeline, in hexadecimal digits.
SELECT pg_current_wal_flush_lsn() < pg_current_wal_insert_lsn()
       AND (SELECT last_value FROM page_written) > extract(epoch FROM statement_timestamp()) - %(window)s AS unflushed,
       least(statement_timestamp(), min(timestamptz '2020-01-01 00:00:00+00'
           + ((((l.classid::bigint << 32) | l.objid::bigint) & ((1::bigint << 56) - 1)) * interval '1 microsecond')))
       - interval '1 microsecond' AS horizon,
       ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline, pg_current_wal_flush_lsn()::text AS lsn
FROM pg_locks l
WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND (l.classid::bigint >> 24) = 67
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())

-- name: replica_has
-- False on a primary. Both control records name the timeline only once a restart point or a flushed page has reached it.
SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %(lsn)s::pg_lsn
       AND %(timeline)s = greatest(c.timeline_id, r.min_recovery_end_timeline) AS has, pg_last_wal_replay_lsn()::text AS lsn
FROM pg_control_checkpoint() c, pg_control_recovery() r

-- name: database_exists
SELECT 1 FROM pg_database WHERE datname = %(name)s

-- name: plans_from_now
-- How the statements of a connection are planned until it is told otherwise.
SELECT set_config('plan_cache_mode', %(mode)s, false)
