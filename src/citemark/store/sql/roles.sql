-- name: index_owner
-- No row: there is no index yet.
SELECT pg_get_userbyid(relowner), pg_has_role(relowner, 'MEMBER') FROM pg_class WHERE oid = to_regclass('schema_version')

-- name: index_place
-- The schema of the index, its database, the tables of vectors, the sequences of the ids of `tables`, and the table that each
-- partition is of.
SELECT c.relnamespace::regnamespace::text, current_database(),
       ARRAY(SELECT v.relname::text FROM pg_class v WHERE v.relnamespace = c.relnamespace AND v.relkind IN ('r', 'p')
             AND v.relname ~ '^embedding_\d+(_past)?$' ORDER BY v.relname),
       ARRAY(SELECT s.relname::text FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass
             JOIN pg_class t ON t.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
             WHERE s.relkind = 'S' AND d.deptype IN ('i', 'a') AND t.relnamespace = c.relnamespace AND t.relname = ANY(%(tables)s)
             ORDER BY s.relname),
       (SELECT coalesce(jsonb_object_agg(p.relname, t.relname), '{}') FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
        JOIN pg_class t ON t.oid = i.inhparent WHERE p.relkind = 'r' AND t.relnamespace = c.relnamespace)
FROM pg_class c WHERE c.oid = 'schema_version'::regclass

-- name: role_checked
SELECT r.rolsuper OR pg_has_role(r.oid, c.relowner, 'MEMBER') FROM pg_roles r, pg_class c
WHERE r.rolname = %(role)s AND c.oid = 'schema_version'::regclass

-- name: roles_granted
-- The roles that write are those that may have the owner's work done; those that only read may read chunks.
WITH writer AS (
    SELECT DISTINCT a.grantee FROM pg_proc p, aclexplode(p.proacl) a
    WHERE p.oid = to_regprocedure('analyze_table(text)') AND a.grantee NOT IN (0, p.proowner)),
reader AS (
    SELECT a.grantee FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'chunk'::regclass AND a.grantee NOT IN (0, c.relowner) AND a.privilege_type = 'SELECT'
    EXCEPT SELECT grantee FROM writer)
SELECT ARRAY(SELECT pg_get_userbyid(grantee)::text FROM writer ORDER BY 1),
       ARRAY(SELECT pg_get_userbyid(grantee)::text FROM reader ORDER BY 1)
