-- Documents over which a worker's process died, or hung: they are read one at a time from then on.

ALTER TABLE item ADD COLUMN suspect boolean NOT NULL DEFAULT false;
