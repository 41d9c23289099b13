-- Which plain words are too common changes with the pages; earlier states keep those of then.
ALTER TABLE common_name ADD COLUMN valid_from timestamptz NOT NULL DEFAULT '-infinity';
ALTER TABLE common_name ADD COLUMN valid_to timestamptz NOT NULL DEFAULT 'infinity';
ALTER TABLE common_name DROP CONSTRAINT common_name_pkey;
ALTER TABLE common_name ADD PRIMARY KEY (source_id, to_key, valid_to);
