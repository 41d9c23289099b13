-- A relationship that a page goes on stating stays one row, which remembers where it was stated before. Rows that are there are
-- as if they had never been stated elsewhere.
ALTER TABLE relationship ADD COLUMN moved_at timestamptz[], ADD COLUMN revision_ids_before bigint[],
    ADD COLUMN start_chars_before int[], ADD COLUMN end_chars_before int[];

CREATE FUNCTION value_then(value anyelement, moved_at timestamptz[], values_before anyarray, at timestamptz) RETURNS anyelement
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE WHEN at < moved_at[cardinality(moved_at)] THEN values_before[width_bucket(at, moved_at) + 1] ELSE value END
$$;
