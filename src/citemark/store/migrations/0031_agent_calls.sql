-- What agents asked in words, if the owner has it kept. A call goes with each source that it shows something of.
CREATE TABLE agent_call (
    call_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant     text NOT NULL,
    asked_at   timestamptz NOT NULL,
    principal  text NOT NULL,
    tool       text NOT NULL,
    question   text NOT NULL,
    phrasings  text[] NOT NULL,
    limits     jsonb NOT NULL,
    outcome    text NOT NULL,
    hits       int NOT NULL,
    cited      jsonb NOT NULL,
    bytes      int NOT NULL,
    seconds    double precision NOT NULL,
    withheld   int NOT NULL,
    notes      text[] NOT NULL
);

CREATE TABLE agent_call_source (
    source_id  int NOT NULL REFERENCES source ON DELETE CASCADE,
    call_id    bigint NOT NULL REFERENCES agent_call ON DELETE CASCADE,
    PRIMARY KEY (source_id, call_id)
);
CREATE INDEX agent_call_source_call ON agent_call_source (call_id);

-- A paused source keeps what it has, which is found as before; nothing of it is listed or read until it goes on.
ALTER TABLE source ADD COLUMN paused boolean NOT NULL DEFAULT false;
