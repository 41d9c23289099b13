-- What a set keeps of the model that fills it, and how close its vectors are to each other by chance.

ALTER TABLE embedding_set
    ADD COLUMN recipe           jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN canary           real[] NOT NULL DEFAULT '{}',
    ADD COLUMN random_pairs     real[] NOT NULL DEFAULT '{}',
    ADD COLUMN random_pairs_of  bigint NOT NULL DEFAULT 0;
