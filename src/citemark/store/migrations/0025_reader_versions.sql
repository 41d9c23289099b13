-- Which readers made a text, or gave a document up, each with its version ("html=2 mail=1"): a format that is new or mended
-- reads its own files again, and no others. `text_version` is from now on that of cutting and analysis.

ALTER TABLE item ADD COLUMN readers text NOT NULL DEFAULT '';
ALTER TABLE revision ADD COLUMN readers text NOT NULL DEFAULT '';
