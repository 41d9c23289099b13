-- Relationships of architecture models have ids of their own, and things are said of them.
ALTER TABLE relationship ADD COLUMN native_id text, ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
CREATE INDEX relationship_native ON relationship (source_id, native_id) WHERE native_id IS NOT NULL;
