-- What only the owner of tables may do, for servers that own none: they may execute these functions if the owner lets them.
CREATE FUNCTION make_embedding_tables(number int, dimensions int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    made     text;
    granted  record;
BEGIN
    FOREACH made IN ARRAY ARRAY['embedding_' || number, 'embedding_' || number || '_past'] LOOP
        EXECUTE format('CREATE TABLE %I (source_id int NOT NULL, chunk_id bigint NOT NULL, vector halfvec(%s) NOT NULL,'
                       ' PRIMARY KEY (source_id, chunk_id))', made, dimensions);
        -- Who may use chunks may use their vectors.
        FOR granted IN SELECT a.grantee::regrole AS role, string_agg(a.privilege_type, ', ') AS privileges
                       FROM pg_class c, aclexplode(c.relacl) a
                       WHERE c.oid = 'chunk'::regclass AND a.grantee NOT IN (0, c.relowner) GROUP BY 1 LOOP
            EXECUTE format('GRANT %s ON %I TO %s', granted.privileges, made, granted.role);
        END LOOP;
    END LOOP;
    EXECUTE format('ALTER TABLE embedding_%s ALTER COLUMN vector SET STORAGE PLAIN', number);
    EXECUTE format('CREATE INDEX embedding_%s_hnsw ON embedding_%s USING hnsw (vector halfvec_cosine_ops)'
                   ' WITH (m = 16, ef_construction = 64)', number, number);
END $$;

CREATE FUNCTION drop_embedding_tables(number int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS embedding_%s, embedding_%s_past', number, number);
END $$;

CREATE FUNCTION analyze_table(name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    EXECUTE format('ANALYZE (SKIP_LOCKED) %I', name);
END $$;

-- They find names where the index and pgvector are, whatever their caller has in a path or in a temporary schema.
DO $$
DECLARE
    path  text := (SELECT format('%s, %s, pg_temp', (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'chunk'::regclass),
                                 extnamespace::regnamespace) FROM pg_extension WHERE extname = 'vector');
    each  text;
BEGIN
    FOREACH each IN ARRAY ARRAY['make_embedding_tables(int, int)', 'drop_embedding_tables(int)', 'analyze_table(text)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %s', each, path);
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', each);
    END LOOP;
END $$;
