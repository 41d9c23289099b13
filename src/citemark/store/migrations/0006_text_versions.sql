-- Which version of reading and cutting wrote a revision, and which one tried a document last; 0 is before it was kept.

ALTER TABLE item ADD COLUMN text_version int NOT NULL DEFAULT 0;
ALTER TABLE revision ADD COLUMN text_version int NOT NULL DEFAULT 0;
