-- name: statistics_lock
SELECT pg_advisory_xact_lock(4867002)

-- name: statistics_try_lock
SELECT pg_try_advisory_xact_lock(4867002) AS ok

-- name: statistics_add
-- What came minus what went, of one source.
WITH lexicons AS (
    INSERT INTO lexicon_stat (source_id, configuration, chunks, sum_length)
    SELECT %(source_id)s, l.configuration, l.chunks, l.sum_length
    FROM unnest(%(configurations)s::text[], %(chunks)s::bigint[], %(lengths)s::bigint[]) AS l (configuration, chunks, sum_length)
    ON CONFLICT (source_id, configuration) DO UPDATE
    SET chunks = lexicon_stat.chunks + excluded.chunks, sum_length = lexicon_stat.sum_length + excluded.sum_length),
terms AS (
    INSERT INTO term_stat (source_id, term_id, df)
    SELECT %(source_id)s, t.term_id, t.df FROM unnest(%(term_ids)s::bigint[], %(dfs)s::int[]) AS t (term_id, df)
    ON CONFLICT (source_id, term_id) DO UPDATE SET df = term_stat.df + excluded.df)
UPDATE source_stat s SET chunks = s.chunks + t.chunks, sum_length = s.sum_length + t.sum_length
FROM (SELECT sum(c) AS chunks, sum(n) AS sum_length FROM unnest(%(chunks)s::bigint[], %(lengths)s::bigint[]) AS u (c, n)) t
WHERE s.source_id = %(source_id)s

-- name: tables_grown
-- Tables that are four times as large as when the planner last looked at them. A table that it never saw, or saw empty, is
-- taken for one in which every source has a row or none, and any index that begins with the source for as good as the right
-- one: what a page costs then grows with the pages before it, so that one is looked at from its second block on. One whose rows came with a transaction that still ran while it was
-- looked at is taken for nearly empty. A schema may hold tables of others, which are none of ours. A table in partitions has
-- its rows in these, and nobody else gathers statistics of the whole.
SELECT c.relname
FROM pg_class c CROSS JOIN LATERAL (
    SELECT sum(pg_relation_size(p.oid)) AS bytes, sum(p.relpages) FILTER (WHERE c.reltuples >= 0) AS pages, sum(pg_stat_get_live_tuples(p.oid)) AS rows
    FROM pg_class p WHERE p.oid = c.oid AND c.relkind = 'r'
       OR c.relkind = 'p' AND p.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = c.oid)) s
WHERE c.relkind IN ('r', 'p') AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'chunk'::regclass)
  AND (c.relname IN ('item', 'document', 'revision', 'section', 'chunk', 'relationship', 'chunk_terms', 'chunk_delta',
                     'segment', 'posting_list', 'posting_block', 'term_stat', 'vector_task')
       OR c.relname IN (SELECT 'embedding_' || embedding_set_id FROM embedding_set))
  AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = 'chunk'::regclass)
  AND has_function_privilege('analyze_table(text)', 'EXECUTE')
  AND (s.bytes > CASE WHEN s.pages > 0 THEN 4 * greatest(s.pages, 4) ELSE 1 END * current_setting('block_size')::bigint
       OR s.rows > 4 * greatest(c.reltuples, 250))
ORDER BY c.relname

-- name: table_misjudged
-- Whether the planner believes that a table has far fewer rows than this transaction wrote.
SELECT 4 * greatest(c.reltuples, 0) < %(rows)s AND has_function_privilege('analyze_table(text)', 'EXECUTE') AS misjudged
FROM pg_class c WHERE c.oid = %(table)s::regclass

-- name: table_analyze
-- By a function of the owner, since a server need not own tables; those that another session has locked are left out.
SELECT analyze_table(%(table)s)

-- name: work_record
INSERT INTO work_done (source_id, kind, slot, amount)
SELECT source_id, %(kind)s, date_bin('10 seconds', clock_timestamp(), timestamptz '2020-01-01 00:00:00+00'), %(amount)s
FROM source WHERE source_id = %(source_id)s FOR KEY SHARE
ON CONFLICT (source_id, kind, slot) DO UPDATE SET amount = work_done.amount + excluded.amount
