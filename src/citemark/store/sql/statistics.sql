-- name: statistics_lock
SELECT pg_advisory_xact_lock(4867002)

-- name: statistics_fold (repeatable)
-- One job at a time folds the deltas in. Who finds it busy comes again, or waits: what was committed before a fold that
-- waited began is folded when it ends.
WITH mine AS MATERIALIZED (
    SELECT CASE WHEN %(wait)s THEN (SELECT true FROM pg_advisory_xact_lock(4867002))
                ELSE pg_try_advisory_xact_lock(4867002) END AS ok),
taken AS (DELETE FROM term_delta WHERE (SELECT ok FROM mine)
          RETURNING source_id, term_id, configuration, df, length),
summed AS (SELECT source_id, term_id, sum(df)::int AS df, sum(length)::bigint AS length FROM taken
           GROUP BY source_id, term_id),
sources AS (UPDATE source_stat s SET chunks = s.chunks + t.df, sum_length = s.sum_length + t.length
            FROM summed t WHERE t.source_id = s.source_id AND t.term_id = 0),
lexicons AS (INSERT INTO lexicon_stat (source_id, configuration, chunks, sum_length)
             SELECT source_id, coalesce(configuration, 'english'), sum(df), sum(length) FROM taken
             WHERE term_id = 0 GROUP BY 1, 2
             ON CONFLICT (source_id, configuration) DO UPDATE
             SET chunks = lexicon_stat.chunks + excluded.chunks,
                 sum_length = lexicon_stat.sum_length + excluded.sum_length),
terms AS (INSERT INTO term_stat (source_id, term_id, df)
          SELECT source_id, term_id, df FROM summed WHERE term_id <> 0 AND df <> 0
          ON CONFLICT (source_id, term_id) DO UPDATE SET df = term_stat.df + excluded.df)
SELECT (SELECT ok FROM mine) AS ok, (SELECT count(*) FROM summed) AS folded

-- name: work_record
INSERT INTO work_done (source_id, kind, slot, amount)
SELECT source_id, %(kind)s, date_bin('10 seconds', clock_timestamp(), timestamptz '2020-01-01 00:00:00+00'), %(amount)s
FROM source WHERE source_id = %(source_id)s FOR KEY SHARE
ON CONFLICT (source_id, kind, slot) DO UPDATE SET amount = work_done.amount + excluded.amount
