-- Somebody was given a link to log in to a Nextcloud by. Any server of the index asks whether they agreed, one at a time;
-- `flow` is encrypted: who knows it gets the password. `taken_at`: a server has the password and records the account.
CREATE TABLE pending_login (
    tenant      text NOT NULL,
    subject     text NOT NULL,
    link        text NOT NULL,
    flow        bytea NOT NULL,
    apps        text[],
    expires_at  timestamptz NOT NULL,
    poll_at     timestamptz NOT NULL,
    taken_at    timestamptz,
    failure     text,
    PRIMARY KEY (tenant, subject)
);

-- The page that shows a person what is connected. Of its address and of the secret of the only browser that may open it
-- again, digests are kept: a copy of the database opens nothing.
CREATE TABLE connect_page (
    tenant      text NOT NULL,
    subject     text NOT NULL,
    code        bytea NOT NULL UNIQUE,
    browser     bytea,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant, subject)
);
