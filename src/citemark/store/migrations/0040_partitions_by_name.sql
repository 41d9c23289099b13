-- A question over sources of one partition reads that by its own name, which who may use the whole could not do so far. After a
-- migration, roles are granted again what they may do, to the partitions that exist, too (store/roles.py).

-- Turns empty tables into the same ones in partitions; nothing, where there are to be none. What later migrations name (tables,
-- indexes, keys, sequences) keeps its name. Ids come from sequences of the whole table: partitioned tables have identity columns
-- from PostgreSQL 17 on only. Who may use a table may use its partitions by their names, too.
CREATE OR REPLACE FUNCTION divide_tables(names text[], partitions int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    divided  regclass[] := names::regclass[];
    links    text[];
    name     text;
    again    text[];
    places   text;
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
        places := quote_ident(name) || (SELECT string_agg(format(', %I', format('%s_p%s', name, part)), '')
                                        FROM generate_series(0, partitions - 1) AS part);
        again := ARRAY(SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', name, conname, pg_get_constraintdef(oid))
                       FROM pg_constraint WHERE conrelid = name::regclass AND contype IN ('p', 'u') ORDER BY oid)
              || ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = name::regclass
                         AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid)
                       ORDER BY i.indexrelid)
              || ARRAY(SELECT format('GRANT %s ON %s TO %s', string_agg(a.privilege_type, ', '), places, a.grantee::regrole)
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
