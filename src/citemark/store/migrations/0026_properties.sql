-- What a page says about itself, in the form that filters compare: each key with its values. Pages that were read before
-- are read again, since the version of their text is older.
ALTER TABLE revision ADD COLUMN properties jsonb NOT NULL DEFAULT '{}';
