-- Secrets that every server of an index must have in common: what one seals, any other opens.
CREATE TABLE shared_key (
    purpose  text PRIMARY KEY,
    secret   bytea NOT NULL
);
