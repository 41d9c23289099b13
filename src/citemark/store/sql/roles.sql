-- name: index_owner
-- No row: there is no index yet.
SELECT pg_get_userbyid(relowner), pg_has_role(relowner, 'MEMBER') FROM pg_class WHERE oid = to_regclass('schema_version')

-- name: index_place
-- The schema of the index, its database, and the tables of vectors.
SELECT c.relnamespace::regnamespace::text, current_database(),
       ARRAY(SELECT v.relname::text FROM pg_class v WHERE v.relnamespace = c.relnamespace AND v.relkind = 'r'
             AND v.relname ~ '^embedding_\d+(_past)?$' ORDER BY v.relname)
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
