-- What a source was called before: citations say so, and stay valid.
ALTER TABLE source ADD COLUMN former_names text[] NOT NULL DEFAULT '{}';
