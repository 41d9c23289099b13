-- The whole schema as it stands today. Migrations replayed from nothing give exactly this; a test holds it.
-- Every table that grows carries source_id in each unique and foreign key: rows live and go with their source.

CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE schema_version (
    version     int PRIMARY KEY,
    name        text NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE source (
    source_id     int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant        text NOT NULL,
    name          text NOT NULL,
    kind          text NOT NULL,
    config        jsonb NOT NULL,
    project_id    text,
    environment   text,
    repository    text,
    tags          text[] NOT NULL DEFAULT '{}',
    language      text NOT NULL DEFAULT 'english',
    keep_history  boolean NOT NULL DEFAULT true,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    detects_language  boolean NOT NULL DEFAULT true,
    former_names  text[] NOT NULL DEFAULT '{}',
    -- Superseded states are kept so long; null: for ever. Questions about earlier moments than history_from are refused.
    history_days  int DEFAULT 90 CHECK (history_days >= 0),
    history_from  timestamptz NOT NULL DEFAULT '-infinity',
    -- When what came from an account that was switched off is erased; null for all others.
    erase_at      timestamptz,
    -- A paused source keeps what it has, which is found as before; nothing of it is listed or read until it goes on.
    paused        boolean NOT NULL DEFAULT false,
    -- What the owner tells models about a source; null: nothing.
    about         text,
    UNIQUE (tenant, name)
);

-- Who may read a source, and why: "why can I not see this" is a query.
CREATE TABLE source_grant (
    source_id  int NOT NULL REFERENCES source ON DELETE CASCADE,
    grantee    text NOT NULL,
    reason     text NOT NULL,
    PRIMARY KEY (source_id, grantee)
);

-- One row per source: the elected scanner's lease and what the last scans said.
CREATE TABLE scan (
    source_id         int PRIMARY KEY REFERENCES source ON DELETE CASCADE,
    scan_number       bigint NOT NULL DEFAULT 0,
    wanted            boolean NOT NULL DEFAULT true,
    leased_by         text,
    lease_until       timestamptz,
    started_at        timestamptz,
    finished_at       timestamptz,
    last_complete_at  timestamptz,
    listed            int NOT NULL DEFAULT 0,
    empty_streak      int NOT NULL DEFAULT 0,
    reason            text NOT NULL DEFAULT '',
    watched_by        text,
    watched_until     timestamptz,
    watching          text NOT NULL DEFAULT '',
    renames_until     timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What scanners remember between scans (JSON): a cache of what was listed under a token.
CREATE TABLE scan_memory (
    source_id  int NOT NULL REFERENCES source ON DELETE CASCADE,
    key        text NOT NULL,
    value      text NOT NULL,
    PRIMARY KEY (source_id, key)
);

-- The encrypted credentials of a source. Refused ones are tried again at retry_at, by one process until trying_until; `tries`
-- are the refused tries of the last day, which the accounts of a server share.
CREATE TABLE source_secret (
    source_id   int PRIMARY KEY REFERENCES source ON DELETE CASCADE,
    sealed      bytea NOT NULL,
    generation  int NOT NULL DEFAULT 1,
    refused     text,
    refused_at    timestamptz,
    refusals      int NOT NULL DEFAULT 0,
    retry_at      timestamptz,
    trying_until  timestamptz,
    tries         timestamptz[] NOT NULL DEFAULT '{}'
);

CREATE TABLE problem (
    source_id  int NOT NULL REFERENCES source ON DELETE CASCADE,
    native_id  text NOT NULL,
    stage      text NOT NULL,
    message    text NOT NULL,
    seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (source_id, native_id, stage)
);

-- The ledger of what a source lists and what is indexed of it. Their difference is the text queue.
CREATE TABLE item (
    source_id        int NOT NULL REFERENCES source ON DELETE CASCADE,
    doc_type         text NOT NULL,
    native_id        text NOT NULL,
    wanted_version   text,
    indexed_version  text,
    modified_at      timestamptz,
    missing_since    timestamptz,
    leased_by        text,
    lease_until      timestamptz,
    tries            int NOT NULL DEFAULT 0,
    retry_at         timestamptz NOT NULL DEFAULT '2000-01-01 00:00:00+00',
    parked           boolean NOT NULL DEFAULT false,
    error            text,
    suspect          boolean NOT NULL DEFAULT false,
    -- The versions of cutting and analysis, and of the readers ("html=2 mail=1"), that tried it last.
    text_version     int NOT NULL DEFAULT 0,
    readers          text NOT NULL DEFAULT '',
    PRIMARY KEY (source_id, doc_type, native_id)
);
CREATE INDEX item_waiting ON item (source_id, retry_at, native_id)
    WHERE wanted_version IS DISTINCT FROM indexed_version AND NOT parked;

-- One row per life of a document. Pages have no page_id; a section's is its page. Ids are unique among the pages of a type,
-- and among the sections of a page.
-- The words of what documents are called and of what they say about themselves, in small letters, each once: those that a name is
-- looked for by. Of a very long text they are those of its beginning, and a mark that tells so.
CREATE FUNCTION words_in(called text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
RETURN array_to_tsvector(ARRAY(
    SELECT left(parts.word, 500) AS word FROM regexp_split_to_table(lower(left(called, 100000)), '\W+') AS parts (word)
    WHERE parts.word <> '' UNION SELECT '…'::text AS word WHERE length(called) > 100000));

CREATE FUNCTION words_about(title text, tags text[], metadata jsonb) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
RETURN words_in(concat_ws(' ', title, array_to_string(tags, ' '),
                          (SELECT string_agg(each.value, ' ') AS said FROM jsonb_each_text(metadata) AS each (key, value))));

CREATE TABLE document (
    source_id    int NOT NULL REFERENCES source ON DELETE CASCADE,
    document_id  bigint GENERATED ALWAYS AS IDENTITY,
    page_id      bigint,
    doc_type     text NOT NULL,
    native_id    text NOT NULL,
    valid_from   timestamptz NOT NULL,
    valid_to     timestamptz NOT NULL DEFAULT 'infinity',
    PRIMARY KEY (source_id, document_id),
    UNIQUE NULLS NOT DISTINCT (source_id, doc_type, native_id, valid_to, page_id),
    FOREIGN KEY (source_id, page_id) REFERENCES document (source_id, document_id) ON DELETE CASCADE,
    CHECK (valid_from < valid_to)
);
CREATE INDEX document_page ON document (source_id, page_id);
CREATE INDEX document_words ON document USING gin (words_in(native_id)) WITH (fastupdate = off) WHERE page_id IS NULL;

-- One immutable state of a page; its sections share it.
CREATE TABLE revision (
    source_id     int NOT NULL,
    revision_id   bigint GENERATED ALWAYS AS IDENTITY,
    document_id   bigint NOT NULL,
    content_hash  bytea NOT NULL,
    version       text NOT NULL,
    title         text NOT NULL,
    body          text NOT NULL,
    url           text,
    language      text NOT NULL,
    tags          text[] NOT NULL DEFAULT '{}',
    metadata      jsonb NOT NULL DEFAULT '{}',
    modified_at   timestamptz,
    valid_from    timestamptz NOT NULL,
    valid_to      timestamptz NOT NULL DEFAULT 'infinity',
    text_version  int NOT NULL DEFAULT 0,
    -- When its file was touched without a change to the text, and the date that it had before each time.
    touched_at    timestamptz[] NOT NULL DEFAULT '{}',
    dates_before  timestamptz[] NOT NULL DEFAULT '{}',
    readers       text NOT NULL DEFAULT '',
    -- What the page says about itself, in the form that filters compare: each key with its values.
    properties    jsonb NOT NULL DEFAULT '{}',
    -- From which chunk on a revision that repeats a pattern is found by its words only; null for all others.
    words_from    int,
    -- The dates that the page states, as their source writes them, and the days that it is about: all days between, where it
    -- repeats too often to list. Its labels are its tags and those that people put on it.
    dates         jsonb,
    days          datemultirange NOT NULL DEFAULT '{}',
    labels        text[] NOT NULL DEFAULT '{}',
    -- A superseded text may be kept as parts of the text of another revision, the one that replaced it, and what that lacks:
    -- `body` is empty then, and whole_body() gives it back. Three numbers for each part: how many characters of the other are
    -- passed over, how many are taken, and how many of body_rest follow. body_needed: how many earlier texts need this one,
    -- each by the next.
    body_from     bigint,
    body_parts    int[],
    body_rest     text,
    body_needed   smallint,
    PRIMARY KEY (source_id, revision_id),
    UNIQUE (source_id, document_id, valid_to),
    FOREIGN KEY (source_id, document_id) REFERENCES document (source_id, document_id) ON DELETE CASCADE,
    FOREIGN KEY (source_id, body_from) REFERENCES revision (source_id, revision_id),
    CHECK (valid_from < valid_to)
);
CREATE INDEX revision_words ON revision USING gin (words_about(title, tags, metadata)) WITH (fastupdate = off);
CREATE INDEX revision_days ON revision USING gist (days) WHERE NOT isempty(days);
CREATE INDEX revision_labels ON revision USING gin (labels) WHERE labels <> '{}';
CREATE INDEX revision_body ON revision (source_id, body_from) WHERE body_from IS NOT NULL;
CREATE INDEX revision_lived ON revision (source_id, valid_to, valid_from) INCLUDE (revision_id);

-- A text from parts of another and what that lacks.
CREATE FUNCTION joined_body(other text, parts int[], rest text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    joined  text := '';
    place   int := 1;
BEGIN
    FOR i IN 1 .. cardinality(parts) BY 3 LOOP
        joined := joined || substr(other, parts[i] + 1, parts[i + 1]) || substr(rest, place, parts[i + 2]);
        place := place + parts[i + 2];
    END LOOP;
    RETURN joined;
END $$;

-- The text of a revision, however it is kept.
CREATE FUNCTION body_of(int, bigint) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    kept  record;
BEGIN
    SELECT r.body, r.body_from, r.body_parts, r.body_rest INTO kept
    FROM revision r WHERE r.source_id = $1 AND r.revision_id = $2;
    IF kept.body_from IS NULL THEN
        RETURN kept.body;
    END IF;
    RETURN joined_body(body_of($1, kept.body_from), kept.body_parts, kept.body_rest);
END $$;

-- The same, looked up only where it is not kept whole.
CREATE FUNCTION whole_body(body text, body_from bigint, source_id int, revision_id bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN body_from IS NULL THEN body ELSE body_of(source_id, revision_id) END;

-- The date of a revision's file at a moment.
CREATE FUNCTION date_then(modified_at timestamptz, touched_at timestamptz[], dates_before timestamptz[], at timestamptz)
RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN at < touched_at[cardinality(touched_at)] THEN dates_before[width_bucket(at, touched_at) + 1]
            ELSE modified_at END;

CREATE TABLE section (
    source_id     int NOT NULL,
    revision_id   bigint NOT NULL,
    document_id   bigint NOT NULL,
    ordinal       int NOT NULL,
    slug          text NOT NULL,
    parent_slug   text,
    title         text NOT NULL,
    heading_path  text[] NOT NULL,
    level         smallint NOT NULL,
    start_char    int NOT NULL,
    end_char      int NOT NULL,
    content_hash  bytea NOT NULL,
    -- The revisions that had it before under the same title and path, the oldest first, and where it stood in each.
    revision_ids_before  bigint[],
    start_chars_before   int[],
    end_chars_before     int[],
    PRIMARY KEY (source_id, revision_id, document_id),
    FOREIGN KEY (source_id, revision_id) REFERENCES revision (source_id, revision_id) ON DELETE CASCADE,
    FOREIGN KEY (source_id, document_id) REFERENCES document (source_id, document_id) ON DELETE CASCADE
);
CREATE INDEX section_document ON section (source_id, document_id, revision_id);

-- Whether a row that is, or was, of these revisions is of a revision.
CREATE FUNCTION is_of(wanted bigint, revision_id bigint, revision_ids_before bigint[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN wanted = revision_id OR wanted = ANY(revision_ids_before);

-- Whether a server of before schema 34 is connected, which does not know all forms of today. Such a one does not start any more
-- once the schema is newer than its own, and one that runs keeps its connections.
CREATE FUNCTION earlier_servers() RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'citemark');

-- The same of a server that does not know what came with a schema.
CREATE FUNCTION earlier_servers(schema int) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT 1 FROM pg_stat_activity
               WHERE datname = current_database()
                 AND CASE WHEN application_name ~ '^citemark( \d{1,6})?$'
                          THEN coalesce(substring(application_name FROM '\d+')::int, 0) < schema END);

-- Under what the words and vectors of superseded chunks are kept; `copy` numbers the chunks of a page with the same text.
CREATE FUNCTION content_key(page_id bigint, configuration text, embed_hash bytea, terms bytea, copy int) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN -1 - (hashtextextended(concat_ws(' ', configuration, encode(embed_hash, 'hex'), encode(sha256(terms), 'hex'), copy)
                              COLLATE "C", page_id) & 4611686018427387903);

-- The indexed unit. HEAD is valid_to = infinity; superseded chunks stay beside it, with words and vectors in tables of their
-- own. A chunk belongs to the states that its revision belongs to, and goes with it: no key leads to its page, which would be
-- looked for among all chunks of the source whenever a page is deleted.
CREATE TABLE chunk (
    source_id    int NOT NULL,
    chunk_id     bigint GENERATED ALWAYS AS IDENTITY,
    page_id      bigint NOT NULL,
    document_id  bigint NOT NULL,
    revision_id  bigint NOT NULL,
    ordinal      int NOT NULL,
    start_char   int NOT NULL,
    end_char     int NOT NULL,
    start_line   int NOT NULL,
    end_line     int NOT NULL,
    -- It and text_hash are empty where a superseded chunk has them in chunk_terms_past, by its content_key.
    context      text NOT NULL,
    -- Empty where a superseded chunk has it in the body of its revision, from start_char to end_char.
    text         text NOT NULL,
    text_hash    bytea NOT NULL,
    embed_hash   bytea NOT NULL,
    length       smallint NOT NULL,
    -- Always empty: the words are in chunk_terms. Servers of versions before schema 33 still write it.
    lexemes      tsvector NOT NULL DEFAULT '',
    valid_from   timestamptz NOT NULL,
    valid_to     timestamptz NOT NULL DEFAULT 'infinity',
    language       text NOT NULL DEFAULT 'english',
    configuration  text NOT NULL DEFAULT 'english',
    -- What its words and vectors are kept by once it is superseded: the same for chunks of a page with the same content, and
    -- negative. Null: by its chunk_id, as also where a server of an earlier version superseded it.
    content_key    bigint,
    PRIMARY KEY (source_id, chunk_id),
    FOREIGN KEY (source_id, revision_id) REFERENCES revision (source_id, revision_id) ON DELETE CASCADE,
    CHECK (valid_from < valid_to)
);
CREATE INDEX chunk_page ON chunk (source_id, page_id) INCLUDE (chunk_id, length, configuration, content_key)
    WHERE valid_to = 'infinity';
CREATE INDEX chunk_content ON chunk (source_id, content_key) WHERE content_key IS NOT NULL;
CREATE INDEX chunk_revision ON chunk (source_id, revision_id);
CREATE INDEX chunk_embed_hash ON chunk (embed_hash) WHERE valid_to = 'infinity';
CREATE INDEX chunk_embed_hash_past ON chunk (embed_hash) WHERE valid_to < 'infinity';

-- The key of a node of the graph. Nodes of one source (documents, sections, folders) are hashed with its id; entities, which
-- sources share (terms, names in code, labels, people, addresses), with 0.
CREATE FUNCTION node_key(source_id int, kind text, name text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended((kind || E'\x1f' || name) COLLATE "C", source_id);

-- The name of what a link leads to, as links may write it: without its folders and its suffix, in small letters.
CREATE FUNCTION linked_name(to_native_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(split_part(split_part(split_part(to_native_id, '#', 1), '/', -1), '.', 1));

-- A relationship goes with the document that states it, which is its page or lies in it.
CREATE TABLE relationship (
    source_id         int NOT NULL,
    relationship_id   bigint GENERATED ALWAYS AS IDENTITY,
    page_id           bigint NOT NULL,
    from_document_id  bigint NOT NULL,
    type              text NOT NULL,
    to_native_id      text,
    to_url            text,
    revision_id       bigint,
    start_char        int,
    end_char          int,
    valid_from        timestamptz NOT NULL,
    valid_to          timestamptz NOT NULL DEFAULT 'infinity',
    native_id         text,
    metadata          jsonb NOT NULL DEFAULT '{}',
    to_kind           text,
    to_name           text,
    to_key            bigint,
    -- When it began to be stated in another revision or place, and where it had been before each time.
    moved_at             timestamptz[],
    revision_ids_before  bigint[],
    start_chars_before   int[],
    end_chars_before     int[],
    PRIMARY KEY (source_id, relationship_id),
    FOREIGN KEY (source_id, from_document_id) REFERENCES document (source_id, document_id) ON DELETE CASCADE,
    CHECK (valid_from < valid_to),
    CHECK (num_nonnulls(to_native_id, to_url, to_name) > 0)
);
CREATE INDEX relationship_page ON relationship (source_id, page_id, from_document_id, relationship_id) WHERE valid_to = 'infinity';
CREATE INDEX relationship_from ON relationship (source_id, from_document_id);
CREATE INDEX relationship_target ON relationship (source_id, to_native_id) WHERE type = 'succeeds';
CREATE INDEX relationship_to ON relationship (to_key, source_id) WHERE to_key IS NOT NULL;
CREATE INDEX relationship_to_head ON relationship (to_key, source_id, type, relationship_id)
    WHERE to_key IS NOT NULL AND valid_to = 'infinity';
CREATE INDEX relationship_name ON relationship (source_id, linked_name(to_native_id))
    WHERE type = 'links_to' AND to_native_id IS NOT NULL AND valid_to = 'infinity';
CREATE INDEX relationship_native ON relationship (source_id, native_id) WHERE native_id IS NOT NULL;
CREATE INDEX relationship_plain ON relationship (source_id, to_key)
    WHERE type = 'mentions' AND metadata <> '{}' AND valid_to = 'infinity';

-- A value of a relationship at a moment.
CREATE FUNCTION value_then(value anyelement, moved_at timestamptz[], values_before anyarray, at timestamptz) RETURNS anyelement
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE WHEN at < moved_at[cardinality(moved_at)] THEN values_before[width_bucket(at, moved_at) + 1] ELSE value END
$$;

-- The names by which the documents of a source are known, as these write them. A name that is new, or written in a new way,
-- gets the next number.
CREATE SEQUENCE known_name_number;
CREATE TABLE known_name (
    source_id  int NOT NULL REFERENCES source ON DELETE CASCADE,
    name       text NOT NULL,
    forms      text[] NOT NULL,
    number     bigint NOT NULL,
    PRIMARY KEY (source_id, name)
);
CREATE INDEX known_name_new ON known_name (source_id, number);

-- How far a source's pages were linked to names. A page that is written must know all names up to `wanted`; every page does
-- up to `linked`. A pass between the two has gone through the revisions up to `reached`, of those up to `last`.
CREATE TABLE mention_state (
    source_id     int PRIMARY KEY REFERENCES source ON DELETE CASCADE,
    wanted        bigint NOT NULL DEFAULT 0,
    linked        bigint NOT NULL DEFAULT 0,
    reached       bigint NOT NULL DEFAULT 0,
    last          bigint NOT NULL DEFAULT 0,
    -- The sources whose names count: this one, those that it has a reader in common with, and those that everyone may read.
    name_sources  int[] NOT NULL DEFAULT '{}',
    -- Names were noted of everything that was recorded before it.
    noted_at      timestamptz NOT NULL DEFAULT '-infinity',
    due_at        timestamptz NOT NULL DEFAULT '-infinity',
    leased_by     text,
    lease_until   timestamptz NOT NULL DEFAULT '-infinity',
    -- When a document was last deleted without history: names must be noted again.
    deleted_at    timestamptz NOT NULL DEFAULT '-infinity'
);

-- Plain words that too many pages of a source mention: mentions by them alone count for nothing.
CREATE TABLE common_name (
    source_id   int NOT NULL REFERENCES source ON DELETE CASCADE,
    to_key      bigint NOT NULL,
    valid_from  timestamptz NOT NULL DEFAULT '-infinity',
    valid_to    timestamptz NOT NULL DEFAULT 'infinity',
    PRIMARY KEY (source_id, to_key, valid_to)
);

-- What seeds the ids of a lexicon's terms: a lexicon is one source as one text search configuration reads it.
CREATE FUNCTION term_seed(source_id int, configuration text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN configuration = 'english' THEN source_id ELSE hashtextextended(configuration COLLATE "C", source_id) END;

-- The words of a chunk at HEAD: for each its term_id (8 bytes) and how often it stands there (2), one after the other.
-- term_id = hashtextextended(lexeme, term_seed): no lexicon row is contended.
CREATE TABLE chunk_terms (
    source_id  int NOT NULL,
    chunk_id   bigint NOT NULL,
    length     smallint NOT NULL,
    terms      bytea NOT NULL,
    PRIMARY KEY (source_id, chunk_id),
    FOREIGN KEY (source_id, chunk_id) REFERENCES chunk (source_id, chunk_id) ON DELETE CASCADE
);
ALTER TABLE chunk_terms ALTER COLUMN terms SET STORAGE EXTERNAL;

-- The same of superseded chunks: here, in segments of the past and in the vectors of the past, `chunk_id` is the content_key
-- of all chunks with that content, or the id of one.
CREATE TABLE chunk_terms_past (
    source_id  int NOT NULL,
    chunk_id   bigint NOT NULL,
    length     smallint NOT NULL,
    terms      bytea NOT NULL,
    -- What these chunks are called and the hash of their text; null where each has its own.
    context    text,
    text_hash  bytea,
    PRIMARY KEY (source_id, chunk_id)
);
ALTER TABLE chunk_terms_past ALTER COLUMN terms SET STORAGE EXTERNAL;

-- Chunks that came or went since their words were last folded into segments and statistics.
CREATE TABLE chunk_delta (
    source_id      int NOT NULL,
    chunk_id       bigint NOT NULL,
    configuration  text NOT NULL,
    gone           boolean NOT NULL,
    length         smallint,
    terms          bytea,
    PRIMARY KEY (source_id, chunk_id)
);
ALTER TABLE chunk_delta ALTER COLUMN terms SET STORAGE EXTERNAL;

-- Superseded chunks that no segment has yet.
CREATE TABLE chunk_delta_past (
    source_id  int NOT NULL,
    chunk_id   bigint NOT NULL,
    PRIMARY KEY (source_id, chunk_id),
    FOREIGN KEY (source_id, chunk_id) REFERENCES chunk_terms_past (source_id, chunk_id) ON DELETE CASCADE
);

-- A segment holds the posting lists of many chunks; it is never changed, only merged into another. What became of a chunk
-- since is told by chunk_terms, which those at HEAD alone have. Superseded chunks are found by segments of their own.
CREATE TABLE segment (
    source_id   int NOT NULL,
    segment_id  bigint GENERATED ALWAYS AS IDENTITY,
    chunks      int NOT NULL,
    chunk_ids   bigint[] NOT NULL,
    past        boolean NOT NULL DEFAULT false,
    -- Its posting lists are in posting_block; else, as versions before schema 34 wrote them, in posting_list.
    packed      boolean NOT NULL DEFAULT false,
    PRIMARY KEY (source_id, segment_id)
);

-- The posting lists of a packed segment, of the terms from the first one on up to that of the next block
-- (store/posting_blocks.py). A block is as good as random, and does not shrink.
CREATE TABLE posting_block (
    source_id   int NOT NULL,
    segment_id  bigint NOT NULL,
    first_term  bigint NOT NULL,
    block       bytea NOT NULL,
    PRIMARY KEY (source_id, segment_id, first_term),
    FOREIGN KEY (source_id, segment_id) REFERENCES segment (source_id, segment_id) ON DELETE CASCADE
);
ALTER TABLE posting_block ALTER COLUMN block SET STORAGE EXTERNAL;

-- A posting: the chunk (8 bytes), how often the term stands in it (2), how many words it has (2). Lists are read whole and
-- often, and do not shrink. No foreign keys here: a check per list would cost more than the list.
CREATE TABLE posting_list (
    source_id   int NOT NULL,
    segment_id  bigint NOT NULL,
    term_id     bigint NOT NULL,
    postings    bytea NOT NULL,
    PRIMARY KEY (source_id, segment_id, term_id)
);
ALTER TABLE posting_list ALTER COLUMN postings SET STORAGE EXTERNAL;

CREATE TABLE term_stat (
    term_id    bigint NOT NULL,
    source_id  int NOT NULL,
    df         int NOT NULL,
    PRIMARY KEY (source_id, term_id)
);

CREATE TABLE source_stat (
    source_id   int PRIMARY KEY REFERENCES source ON DELETE CASCADE,
    chunks      bigint NOT NULL DEFAULT 0,
    sum_length  bigint NOT NULL DEFAULT 0
);

-- In which languages a source has chunks at HEAD, and how many: questions are read in these.
CREATE TABLE lexicon_stat (
    source_id      int NOT NULL,
    configuration  text NOT NULL,
    chunks         bigint NOT NULL,
    sum_length     bigint NOT NULL,
    PRIMARY KEY (source_id, configuration)
);

CREATE TABLE embedding_set (
    embedding_set_id  int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model             text NOT NULL,
    fingerprint       text NOT NULL,
    dimensions        int NOT NULL,
    state             text NOT NULL CHECK (state IN ('building', 'active', 'retired')),
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    activated_at      timestamptz,
    recipe            jsonb NOT NULL DEFAULT '{}',
    canary            real[] NOT NULL DEFAULT '{}',
    random_pairs      real[] NOT NULL DEFAULT '{}',
    random_pairs_of   bigint NOT NULL DEFAULT 0,
    UNIQUE (model, fingerprint)
);
CREATE UNIQUE INDEX embedding_set_one_active ON embedding_set ((true)) WHERE state = 'active';

-- The vector queue: one row per chunk and embedding set that still lacks a vector.
CREATE TABLE vector_task (
    source_id         int NOT NULL,
    embedding_set_id  int NOT NULL REFERENCES embedding_set ON DELETE CASCADE,
    chunk_id          bigint NOT NULL,
    size              int NOT NULL,
    leased_by         text,
    lease_until       timestamptz NOT NULL DEFAULT '2000-01-01 00:00:00+00',
    tries             int NOT NULL DEFAULT 0,
    error             text,
    past              boolean NOT NULL DEFAULT false,
    rank              int NOT NULL DEFAULT 1,
    PRIMARY KEY (source_id, chunk_id, embedding_set_id),
    FOREIGN KEY (source_id, chunk_id) REFERENCES chunk (source_id, chunk_id) ON DELETE CASCADE
);
CREATE INDEX vector_task_waiting ON vector_task (embedding_set_id, past, lease_until, rank, chunk_id);
CREATE INDEX vector_task_first ON vector_task (source_id, embedding_set_id) WHERE rank = 0 AND NOT past;

-- The place of a chunk in the queue for vectors, by its value: the first passage of every document; the rest of short ones, of
-- recent ones, and of long ones in turn; text that repeats a pattern, such as a log.
CREATE FUNCTION vector_rank(ordinal int, chunks bigint, recent boolean, repeats boolean) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ordinal = 0 THEN 0 WHEN repeats THEN 20000 + least(ordinal, 10000) WHEN chunks <= 20 THEN 1
            WHEN recent AND chunks <= 100 THEN 2 ELSE 2 + least(ordinal, 10000) END;

-- What was done lately, for the rate that status shows.
CREATE UNLOGGED TABLE work_done (
    source_id  int NOT NULL,
    kind       text NOT NULL,
    slot       timestamptz NOT NULL,
    amount     int NOT NULL,
    PRIMARY KEY (source_id, kind, slot)
);

-- Handles of passages: a row, not a session. Text is read again, and access checked again, at each use.
CREATE UNLOGGED TABLE passage (
    source_id   int NOT NULL REFERENCES source ON DELETE CASCADE,
    passage_id  text NOT NULL,
    session_id  text NOT NULL,
    principal   text NOT NULL,
    chunk_id    bigint NOT NULL,
    span_start  int NOT NULL,
    span_end    int NOT NULL,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    -- The past state that it was read from; null at HEAD.
    read_at     timestamptz,
    as_of       timestamptz,
    baseline    text,
    PRIMARY KEY (source_id, passage_id)
);
CREATE INDEX passage_handle ON passage (passage_id);
CREATE INDEX passage_expiry ON passage (expires_at);

-- Ranked lists behind cursors.
CREATE UNLOGGED TABLE ranked_hit (
    source_id   int NOT NULL REFERENCES source ON DELETE CASCADE,
    list_id     text NOT NULL,
    rank        int NOT NULL,
    chunk_id    bigint NOT NULL,
    score       real NOT NULL,
    why         jsonb NOT NULL,
    principal   text NOT NULL,
    digest      text NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (source_id, list_id, rank)
);
CREATE INDEX ranked_hit_list ON ranked_hit (list_id, rank);
CREATE INDEX ranked_hit_expiry ON ranked_hit (expires_at);

-- When each server last searched: indexers give way to searches of other processes too.
CREATE UNLOGGED TABLE search_activity (
    server  text PRIMARY KEY,
    at      timestamptz NOT NULL
);

-- Secrets that every server of an index must have in common: what one seals, any other opens.
CREATE TABLE shared_key (
    purpose  text PRIMARY KEY,
    secret   bytea NOT NULL
);

-- Tokens of people and programs without an identity provider. Only a digest is kept: a copy of the database opens nothing.
CREATE TABLE access_token (
    token_id    text PRIMARY KEY,
    name        text NOT NULL,
    digest      bytea NOT NULL UNIQUE,
    scopes      text[] NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at  timestamptz NOT NULL DEFAULT 'infinity',
    revoked_at  timestamptz
);

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

-- A state with a name. `at` is the moment that is read; commits of a repository are recorded at moments of the year 100,
-- long before anything else, so that the same conditions on intervals read them.
CREATE TABLE baseline (
    baseline_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant       text NOT NULL,
    name         text NOT NULL,
    at           timestamptz NOT NULL,
    made_at      timestamptz NOT NULL,
    UNIQUE (tenant, name)
);

CREATE TABLE baseline_source (
    source_id    int NOT NULL REFERENCES source ON DELETE CASCADE,
    baseline_id  bigint NOT NULL REFERENCES baseline ON DELETE CASCADE,
    commit_id    text,
    PRIMARY KEY (source_id, baseline_id)
);
CREATE INDEX baseline_source_baseline ON baseline_source (baseline_id);

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

-- The second in which a page was last written: whether a crash could still take something back.
CREATE SEQUENCE page_written;

-- The second of the year 100 that the next commit of a repository is recorded at.
CREATE SEQUENCE repository_second;

-- An index may be divided by the hash of source_id when it is made (`citemark init --partitions`). Nothing but its tables
-- remembers it; a migration that adds a table that grows ends with `SELECT divide_tables('{the table}', index_partitions())`.
CREATE FUNCTION index_partitions() RETURNS int LANGUAGE sql STABLE
RETURN (SELECT count(*)::int FROM pg_inherits WHERE inhparent = to_regclass('chunk'));

-- Turns empty tables into the same ones in partitions; nothing, where there are to be none. What later migrations name (tables,
-- indexes, keys, sequences) keeps its name. Ids come from sequences of the whole table: partitioned tables have identity columns
-- from PostgreSQL 17 on only. Who may use a table may use its partitions by their names, too.
CREATE FUNCTION divide_tables(names text[], partitions int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    divided  regclass[] := names::regclass[];
    links    text[];
    name     text;
    again    text[];
    places   text;
    filled   boolean;
    each     record;
BEGIN
    IF partitions = 0 THEN
        RETURN;
    END IF;
    links := ARRAY(SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
                   FROM pg_constraint WHERE contype = 'f' AND conparentid = 0
                     AND (conrelid = ANY(divided) OR confrelid = ANY(divided)) ORDER BY oid);
    FOR each IN SELECT conrelid::regclass AS place, conname FROM pg_constraint WHERE contype = 'f' AND conparentid = 0
                  AND (conrelid = ANY(divided) OR confrelid = ANY(divided)) LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', each.place, each.conname);
    END LOOP;
    FOREACH name IN ARRAY names LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO filled;
        IF filled THEN
            RAISE EXCEPTION 'the table % has rows; only empty ones can be divided', name;
        END IF;
        places := quote_ident(name) || (SELECT string_agg(format(', %I', format('%s_p%s', name, part)), '')
                                        FROM generate_series(0, partitions - 1) AS part);
        again := ARRAY(SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', name, conname, pg_get_constraintdef(oid))
                       FROM pg_constraint WHERE conrelid = name::regclass AND contype IN ('p', 'u') ORDER BY oid)
              || ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = name::regclass
                         AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid)
                       ORDER BY i.indexrelid)
              || ARRAY(SELECT format('GRANT %s ON %s TO %s', string_agg(a.privilege_type, ', '), places, a.grantee::regrole)
                       FROM pg_class c, aclexplode(c.relacl) a
                       WHERE c.oid = name::regclass AND a.grantee NOT IN (0, c.relowner) GROUP BY a.grantee);
        FOR each IN SELECT attname AS id, format_type(atttypid, atttypmod) AS type, s.relname AS numbers
                    FROM pg_attribute JOIN pg_class s ON s.oid = pg_get_serial_sequence(quote_ident(name), attname)::regclass
                    WHERE attrelid = name::regclass AND attidentity <> '' LOOP
            again := again
                || format('CREATE SEQUENCE %I AS %s OWNED BY %I.%I', each.numbers, each.type, name, each.id)
                || format('ALTER TABLE %I ALTER COLUMN %I SET DEFAULT nextval(%L)', name, each.id, each.numbers);
        END LOOP;
        EXECUTE format('ALTER TABLE %I RENAME TO undivided', name);
        EXECUTE format('CREATE TABLE %I (LIKE undivided INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY)'
                       ' PARTITION BY HASH (source_id)', name);
        DROP TABLE undivided;
        FOR part IN 0 .. partitions - 1 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                           format('%s_p%s', name, part), name, partitions, part);
        END LOOP;
        FOR i IN 1 .. cardinality(again) LOOP
            EXECUTE again[i];
        END LOOP;
    END LOOP;
    FOR i IN 1 .. cardinality(links) LOOP
        EXECUTE links[i];
    END LOOP;
END $$;

-- What only the owner of tables may do, for servers that own none: they may execute these functions if the owner lets them.
CREATE FUNCTION make_embedding_tables(number int, dimensions int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    tables   text[] := ARRAY['embedding_' || number, 'embedding_' || number || '_past'];
    made     text;
    granted  record;
BEGIN
    FOREACH made IN ARRAY tables LOOP
        EXECUTE format('CREATE TABLE %I (source_id int NOT NULL, chunk_id bigint NOT NULL, vector halfvec(%s) NOT NULL,'
                       ' PRIMARY KEY (source_id, chunk_id))', made, dimensions);
        -- Who may use chunks may use their vectors.
        FOR granted IN SELECT a.grantee::regrole AS role, string_agg(a.privilege_type, ', ') AS privileges
                       FROM pg_class c, aclexplode(c.relacl) a
                       WHERE c.oid = 'chunk'::regclass AND a.grantee NOT IN (0, c.relowner) GROUP BY 1 LOOP
            EXECUTE format('GRANT %s ON %I TO %s', granted.privileges, made, granted.role);
        END LOOP;
    END LOOP;
    EXECUTE format('ALTER TABLE embedding_%s ALTER COLUMN vector SET STORAGE PLAIN', number);
    EXECUTE format('CREATE INDEX embedding_%s_hnsw ON embedding_%s USING hnsw (vector halfvec_cosine_ops)'
                   ' WITH (m = 16, ef_construction = 64)', number, number);
    PERFORM divide_tables(tables, index_partitions());
END $$;

CREATE FUNCTION drop_embedding_tables(number int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS embedding_%s, embedding_%s_past', number, number);
END $$;

CREATE FUNCTION analyze_table(name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    EXECUTE format('ANALYZE (SKIP_LOCKED) %I', name);
END $$;

-- They find names where the index and pgvector are, whatever their caller has in a path or in a temporary schema.
DO $$
DECLARE
    path  text := (SELECT format('%s, %s, pg_temp', (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'chunk'::regclass),
                                 extnamespace::regnamespace) FROM pg_extension WHERE extname = 'vector');
    each  text;
BEGIN
    FOREACH each IN ARRAY ARRAY['make_embedding_tables(int, int)', 'drop_embedding_tables(int)', 'analyze_table(text)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %s', each, path);
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', each);
    END LOOP;
END $$;
