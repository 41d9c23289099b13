-- Up to when it is settled which pages took over from which, whatever process read or ended them.
ALTER TABLE scan ADD COLUMN renames_until timestamptz NOT NULL DEFAULT clock_timestamp();
