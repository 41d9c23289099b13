"""What PostgreSQL's catalogs say of a schema, in a form that two databases can be compared by."""

from typing import Any

import psycopg

_COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
       pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attstorage, a.attnum, c.relpersistence
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace ORDER BY 1, 8
"""
_CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, contype, pg_get_constraintdef(c.oid) FROM pg_constraint c
WHERE connamespace = 'public'::regnamespace AND conparentid = 0
  AND NOT EXISTS (SELECT FROM pg_class p WHERE p.oid = conrelid AND p.relispartition) ORDER BY 1, 2
"""
_INDEXES = """
SELECT t.relname, c.relname, replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
WHERE t.relnamespace = 'public'::regnamespace AND NOT t.relispartition ORDER BY 1, 2
"""
_FUNCTIONS = """
SELECT proname, pg_get_functiondef(p.oid) FROM pg_proc p
WHERE pronamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') ORDER BY 1, 2
"""
_KEYS = """
SELECT r.table_name, r.definition, r.columns FROM (
    SELECT conrelid::regclass::text AS table_name, pg_get_constraintdef(oid) AS definition,
           (SELECT array_agg(a.attname::text) FROM pg_attribute a
            WHERE a.attrelid = conrelid AND a.attnum = ANY(conkey)) AS columns
    FROM pg_constraint WHERE contype IN ('p', 'u', 'f') AND connamespace = 'public'::regnamespace
    UNION ALL
    SELECT i.indrelid::regclass::text, pg_get_indexdef(i.indexrelid),
           coalesce((SELECT array_agg(a.attname::text) FROM pg_attribute a
                     WHERE a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey::int2[])), '{}')
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace) r
ORDER BY 1, 2
"""


def catalog_of(dsn: str) -> dict[str, list[tuple[Any, ...]]]:
    """Tables with columns, constraints and indexes of the public schema, and its functions; partitions are left out."""
    with psycopg.connect(dsn) as connection:
        return {
            "columns": connection.execute(_COLUMNS).fetchall(),
            "constraints": connection.execute(_CONSTRAINTS).fetchall(),
            "indexes": connection.execute(_INDEXES).fetchall(),
            "functions": connection.execute(_FUNCTIONS).fetchall(),
        }


def keys_of(connection: psycopg.Connection[Any]) -> list[tuple[str, str, list[str]]]:
    """(table, definition, columns) of every primary, unique and foreign key."""
    return [(row[0], row[1], list(row[2])) for row in connection.execute(_KEYS).fetchall()]
