-- An index may be divided by the hash of source_id when it is made (`citemark init --partitions`). Nothing but its tables
-- remembers it; a migration that adds a table that grows ends with `SELECT divide_tables('{the table}', index_partitions())`.
CREATE FUNCTION index_partitions() RETURNS int LANGUAGE sql STABLE
RETURN (SELECT count(*)::int FROM pg_inherits WHERE inhparent = to_regclass('chunk'));

-- Turns empty tables into the same ones in partitions; nothing, where there are to be none. What later migrations name (tables,
-- indexes, keys, sequences) keeps its name. Ids come from sequences of the whole table: partitioned tables have identity columns
-- from PostgreSQL 17 on only.
CREATE FUNCTION divide_tables(names text[], partitions int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    divided  regclass[] := names::regclass[];
    links    text[];
    name     text;
    again    text[];
    filled   boolean;
    each     record;
BEGIN
    IF partitions = 0 THEN
        RETURN;
    END IF;
    links := ARRAY(SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
                   FROM pg_constraint WHERE contype = 'f' AND conparentid = 0
                     AND (conrelid = ANY(divided) OR confrelid = ANY(divided)) ORDER BY oid);
    FOR each IN SELECT conrelid::regclass AS place, conname FROM pg_constraint WHERE contype = 'f' AND conparentid = 0
                  AND (conrelid = ANY(divided) OR confrelid = ANY(divided)) LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', each.place, each.conname);
    END LOOP;
    FOREACH name IN ARRAY names LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO filled;
        IF filled THEN
            RAISE EXCEPTION 'the table % has rows; only empty ones can be divided', name;
        END IF;
        again := ARRAY(SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', name, conname, pg_get_constraintdef(oid))
                       FROM pg_constraint WHERE conrelid = name::regclass AND contype IN ('p', 'u') ORDER BY oid)
              || ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = name::regclass
                         AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid)
                       ORDER BY i.indexrelid)
              || ARRAY(SELECT format('GRANT %s ON %I TO %s', string_agg(a.privilege_type, ', '), name, a.grantee::regrole)
                       FROM pg_class c, aclexplode(c.relacl) a
                       WHERE c.oid = name::regclass AND a.grantee NOT IN (0, c.relowner) GROUP BY a.grantee);
        FOR each IN SELECT attname AS id, format_type(atttypid, atttypmod) AS type, s.relname AS numbers
                    FROM pg_attribute JOIN pg_class s ON s.oid = pg_get_serial_sequence(quote_ident(name), attname)::regclass
                    WHERE attrelid = name::regclass AND attidentity <> '' LOOP
            again := again
                || format('CREATE SEQUENCE %I AS %s OWNED BY %I.%I', each.numbers, each.type, name, each.id)
                || format('ALTER TABLE %I ALTER COLUMN %I SET DEFAULT nextval(%L)', name, each.id, each.numbers);
        END LOOP;
        EXECUTE format('ALTER TABLE %I RENAME TO undivided', name);
        EXECUTE format('CREATE TABLE %I (LIKE undivided INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY)'
                       ' PARTITION BY HASH (source_id)', name);
        DROP TABLE undivided;
        FOR part IN 0 .. partitions - 1 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                           format('%s_p%s', name, part), name, partitions, part);
        END LOOP;
        FOR i IN 1 .. cardinality(again) LOOP
            EXECUTE again[i];
        END LOOP;
    END LOOP;
    FOR i IN 1 .. cardinality(links) LOOP
        EXECUTE links[i];
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION make_embedding_tables(number int, dimensions int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    tables   text[] := ARRAY['embedding_' || number, 'embedding_' || number || '_past'];
    made     text;
    granted  record;
BEGIN
    FOREACH made IN ARRAY tables LOOP
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
    PERFORM divide_tables(tables, index_partitions());
END $$;

-- It finds names where the index and pgvector are, as before.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION make_embedding_tables(int, int) SET search_path = %s',
                   (SELECT format('%s, %s, pg_temp', (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'chunk'::regclass),
                                  extnamespace::regnamespace) FROM pg_extension WHERE extname = 'vector'));
END $$;
