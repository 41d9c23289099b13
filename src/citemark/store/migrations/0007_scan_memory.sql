-- What scanners remember between scans, and the sealed credentials of sources that need any.

CREATE TABLE scan_memory (
    source_id  int NOT NULL REFERENCES source ON DELETE CASCADE,
    key        text NOT NULL,
    value      text NOT NULL,
    PRIMARY KEY (source_id, key)
);

CREATE TABLE source_secret (
    source_id   int PRIMARY KEY REFERENCES source ON DELETE CASCADE,
    sealed      bytea NOT NULL,
    generation  int NOT NULL DEFAULT 1,
    refused     text
);
