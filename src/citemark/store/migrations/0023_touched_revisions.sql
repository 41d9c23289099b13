-- A file that is touched keeps its text and its revision. When it was, and the dates that it had before each time, so that
-- earlier states are filtered and shown by the date of then.
ALTER TABLE revision ADD COLUMN touched_at timestamptz[] NOT NULL DEFAULT '{}';
ALTER TABLE revision ADD COLUMN dates_before timestamptz[] NOT NULL DEFAULT '{}';

CREATE FUNCTION date_then(modified_at timestamptz, touched_at timestamptz[], dates_before timestamptz[], at timestamptz)
RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN at < touched_at[cardinality(touched_at)] THEN dates_before[width_bucket(at, touched_at) + 1]
            ELSE modified_at END;
