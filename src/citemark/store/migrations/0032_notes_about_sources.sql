-- What the owner tells models about a source; null: nothing.
ALTER TABLE source ADD COLUMN about text;
