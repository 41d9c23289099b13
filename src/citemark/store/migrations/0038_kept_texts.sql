-- Whether a server is connected that does not know what came with a schema. What is said of earlier_servers() holds here too.
CREATE FUNCTION earlier_servers(schema int) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT 1 FROM pg_stat_activity
               WHERE datname = current_database()
                 AND CASE WHEN application_name ~ '^citemark( \d{1,6})?$'
                          THEN coalesce(substring(application_name FROM '\d+')::int, 0) < schema END);

-- A superseded text may be kept as what it has beside the text that replaced it. Texts that are there stay as they are.
ALTER TABLE revision ADD COLUMN body_from bigint, ADD COLUMN body_parts int[], ADD COLUMN body_rest text,
    ADD COLUMN body_needed smallint;
CREATE INDEX revision_body ON revision (source_id, body_from) WHERE body_from IS NOT NULL;
ALTER TABLE revision ADD FOREIGN KEY (source_id, body_from) REFERENCES revision (source_id, revision_id);

CREATE FUNCTION joined_body(other text, parts int[], rest text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    joined  text := '';
    place   int := 1;
BEGIN
    FOR i IN 1 .. cardinality(parts) BY 3 LOOP
        joined := joined || substr(other, parts[i] + 1, parts[i + 1]) || substr(rest, place, parts[i + 2]);
        place := place + parts[i + 2];
    END LOOP;
    RETURN joined;
END $$;

CREATE FUNCTION body_of(int, bigint) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    kept  record;
BEGIN
    SELECT r.body, r.body_from, r.body_parts, r.body_rest INTO kept
    FROM revision r WHERE r.source_id = $1 AND r.revision_id = $2;
    IF kept.body_from IS NULL THEN
        RETURN kept.body;
    END IF;
    RETURN joined_body(body_of($1, kept.body_from), kept.body_parts, kept.body_rest);
END $$;

CREATE FUNCTION whole_body(body text, body_from bigint, source_id int, revision_id bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN body_from IS NULL THEN body ELSE body_of(source_id, revision_id) END;
