--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: vector; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;


--
-- Name: EXTENSION vector; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';


--
-- Name: date_then(timestamp with time zone, timestamp with time zone[], timestamp with time zone[], timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.date_then(modified_at timestamp with time zone, touched_at timestamp with time zone[], dates_before timestamp with time zone[], at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (at < (touched_at)[cardinality(touched_at)]) THEN (dates_before)[(width_bucket(at, touched_at) + 1)] ELSE modified_at END;


--
-- Name: node_key(integer, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.node_key(source_id integer, kind text, name text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended((((kind || ''::text) || name) COLLATE "C"), (source_id)::bigint);


--
-- Name: term_seed(integer, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.term_seed(source_id integer, configuration text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (configuration = 'english'::text) THEN (source_id)::bigint ELSE hashtextextended((configuration COLLATE "C"), (source_id)::bigint) END;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: access_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.access_token (
    token_id text NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);


--
-- Name: baseline; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.baseline (
    baseline_id bigint NOT NULL,
    tenant text NOT NULL,
    name text NOT NULL,
    at timestamp with time zone NOT NULL,
    made_at timestamp with time zone NOT NULL
);


--
-- Name: baseline_baseline_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.baseline ALTER COLUMN baseline_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.baseline_baseline_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: baseline_source; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.baseline_source (
    source_id integer NOT NULL,
    baseline_id bigint NOT NULL,
    commit_id text
);


--
-- Name: chunk; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chunk (
    source_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    page_id bigint NOT NULL,
    document_id bigint NOT NULL,
    revision_id bigint NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    start_line integer NOT NULL,
    end_line integer NOT NULL,
    context text NOT NULL,
    text text NOT NULL,
    text_hash bytea NOT NULL,
    embed_hash bytea NOT NULL,
    length smallint NOT NULL,
    lexemes tsvector NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    language text DEFAULT 'english'::text NOT NULL,
    configuration text DEFAULT 'english'::text NOT NULL,
    CONSTRAINT chunk_check CHECK ((valid_from < valid_to))
);


--
-- Name: chunk_chunk_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.chunk ALTER COLUMN chunk_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.chunk_chunk_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: chunk_delta; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chunk_delta (
    source_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    configuration text NOT NULL,
    gone boolean NOT NULL,
    length smallint,
    terms bytea
);
ALTER TABLE ONLY public.chunk_delta ALTER COLUMN terms SET STORAGE EXTERNAL;


--
-- Name: chunk_delta_past; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chunk_delta_past (
    source_id integer NOT NULL,
    chunk_id bigint NOT NULL
);


--
-- Name: chunk_terms; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chunk_terms (
    source_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    length smallint NOT NULL,
    terms bytea NOT NULL
);
ALTER TABLE ONLY public.chunk_terms ALTER COLUMN terms SET STORAGE EXTERNAL;


--
-- Name: chunk_terms_past; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chunk_terms_past (
    source_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    length smallint NOT NULL,
    terms bytea NOT NULL
);
ALTER TABLE ONLY public.chunk_terms_past ALTER COLUMN terms SET STORAGE EXTERNAL;


--
-- Name: common_name; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.common_name (
    source_id integer NOT NULL,
    to_key bigint NOT NULL,
    valid_from timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    valid_to timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL
);


--
-- Name: connect_page; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.connect_page (
    tenant text NOT NULL,
    subject text NOT NULL,
    code bytea NOT NULL,
    browser bytea,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: document; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document (
    source_id integer NOT NULL,
    document_id bigint NOT NULL,
    page_id bigint,
    doc_type text NOT NULL,
    native_id text NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT document_check CHECK ((valid_from < valid_to))
);


--
-- Name: document_document_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.document ALTER COLUMN document_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.document_document_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: embedding_1; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.embedding_1 (
    source_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    vector public.halfvec(384) NOT NULL
);
ALTER TABLE ONLY public.embedding_1 ALTER COLUMN vector SET STORAGE PLAIN;


--
-- Name: embedding_1_past; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.embedding_1_past (
    source_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    vector public.halfvec(384) NOT NULL
);


--
-- Name: embedding_set; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.embedding_set (
    embedding_set_id integer NOT NULL,
    model text NOT NULL,
    fingerprint text NOT NULL,
    dimensions integer NOT NULL,
    state text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    activated_at timestamp with time zone,
    recipe jsonb DEFAULT '{}'::jsonb NOT NULL,
    canary real[] DEFAULT '{}'::real[] NOT NULL,
    random_pairs real[] DEFAULT '{}'::real[] NOT NULL,
    random_pairs_of bigint DEFAULT 0 NOT NULL,
    CONSTRAINT embedding_set_state_check CHECK ((state = ANY (ARRAY['building'::text, 'active'::text, 'retired'::text])))
);


--
-- Name: embedding_set_embedding_set_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.embedding_set ALTER COLUMN embedding_set_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.embedding_set_embedding_set_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: item; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.item (
    source_id integer NOT NULL,
    doc_type text NOT NULL,
    native_id text NOT NULL,
    wanted_version text,
    indexed_version text,
    modified_at timestamp with time zone,
    missing_since timestamp with time zone,
    leased_by text,
    lease_until timestamp with time zone,
    tries integer DEFAULT 0 NOT NULL,
    retry_at timestamp with time zone DEFAULT '2000-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    parked boolean DEFAULT false NOT NULL,
    error text,
    suspect boolean DEFAULT false NOT NULL,
    text_version integer DEFAULT 0 NOT NULL,
    readers text DEFAULT ''::text NOT NULL
);


--
-- Name: known_name; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.known_name (
    source_id integer NOT NULL,
    name text NOT NULL,
    forms text[] NOT NULL,
    number bigint NOT NULL
);


--
-- Name: known_name_number; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.known_name_number
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: lexicon_stat; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lexicon_stat (
    source_id integer NOT NULL,
    configuration text NOT NULL,
    chunks bigint NOT NULL,
    sum_length bigint NOT NULL
);


--
-- Name: mention_state; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mention_state (
    source_id integer NOT NULL,
    wanted bigint DEFAULT 0 NOT NULL,
    linked bigint DEFAULT 0 NOT NULL,
    reached bigint DEFAULT 0 NOT NULL,
    last bigint DEFAULT 0 NOT NULL,
    name_sources integer[] DEFAULT '{}'::integer[] NOT NULL,
    noted_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    due_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    leased_by text,
    lease_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
);


--
-- Name: page_written; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.page_written
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: passage; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.passage (
    source_id integer NOT NULL,
    passage_id text NOT NULL,
    session_id text NOT NULL,
    principal text NOT NULL,
    chunk_id bigint NOT NULL,
    span_start integer NOT NULL,
    span_end integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    read_at timestamp with time zone,
    as_of timestamp with time zone,
    baseline text
);


--
-- Name: pending_login; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pending_login (
    tenant text NOT NULL,
    subject text NOT NULL,
    link text NOT NULL,
    flow bytea NOT NULL,
    apps text[],
    expires_at timestamp with time zone NOT NULL,
    poll_at timestamp with time zone NOT NULL,
    taken_at timestamp with time zone,
    failure text
);


--
-- Name: posting_list; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.posting_list (
    source_id integer NOT NULL,
    segment_id bigint NOT NULL,
    term_id bigint NOT NULL,
    postings bytea NOT NULL
);
ALTER TABLE ONLY public.posting_list ALTER COLUMN postings SET STORAGE EXTERNAL;


--
-- Name: problem; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.problem (
    source_id integer NOT NULL,
    native_id text NOT NULL,
    stage text NOT NULL,
    message text NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: ranked_hit; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.ranked_hit (
    source_id integer NOT NULL,
    list_id text NOT NULL,
    rank integer NOT NULL,
    chunk_id bigint NOT NULL,
    score real NOT NULL,
    why jsonb NOT NULL,
    principal text NOT NULL,
    digest text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: relationship; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.relationship (
    source_id integer NOT NULL,
    relationship_id bigint NOT NULL,
    page_id bigint NOT NULL,
    from_document_id bigint NOT NULL,
    type text NOT NULL,
    to_native_id text,
    to_url text,
    revision_id bigint,
    start_char integer,
    end_char integer,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    native_id text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    to_kind text,
    to_name text,
    to_key bigint,
    CONSTRAINT relationship_check CHECK ((valid_from < valid_to)),
    CONSTRAINT relationship_check1 CHECK ((num_nonnulls(to_native_id, to_url, to_name) > 0))
);


--
-- Name: relationship_relationship_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.relationship ALTER COLUMN relationship_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.relationship_relationship_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: repository_second; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.repository_second
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: revision; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.revision (
    source_id integer NOT NULL,
    revision_id bigint NOT NULL,
    document_id bigint NOT NULL,
    content_hash bytea NOT NULL,
    version text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    url text,
    language text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    modified_at timestamp with time zone,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    text_version integer DEFAULT 0 NOT NULL,
    touched_at timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    dates_before timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    readers text DEFAULT ''::text NOT NULL,
    CONSTRAINT revision_check CHECK ((valid_from < valid_to))
);


--
-- Name: revision_revision_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.revision ALTER COLUMN revision_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.revision_revision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: scan; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scan (
    source_id integer NOT NULL,
    scan_number bigint DEFAULT 0 NOT NULL,
    wanted boolean DEFAULT true NOT NULL,
    leased_by text,
    lease_until timestamp with time zone,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    last_complete_at timestamp with time zone,
    listed integer DEFAULT 0 NOT NULL,
    empty_streak integer DEFAULT 0 NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    watched_by text,
    watched_until timestamp with time zone,
    watching text DEFAULT ''::text NOT NULL,
    renames_until timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: scan_memory; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scan_memory (
    source_id integer NOT NULL,
    key text NOT NULL,
    value text NOT NULL
);


--
-- Name: schema_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_version (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: search_activity; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.search_activity (
    server text NOT NULL,
    at timestamp with time zone NOT NULL
);


--
-- Name: section; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.section (
    source_id integer NOT NULL,
    revision_id bigint NOT NULL,
    document_id bigint NOT NULL,
    ordinal integer NOT NULL,
    slug text NOT NULL,
    parent_slug text,
    title text NOT NULL,
    heading_path text[] NOT NULL,
    level smallint NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    content_hash bytea NOT NULL
);


--
-- Name: segment; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.segment (
    source_id integer NOT NULL,
    segment_id bigint NOT NULL,
    chunks integer NOT NULL,
    chunk_ids bigint[] NOT NULL,
    past boolean DEFAULT false NOT NULL
);


--
-- Name: segment_segment_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.segment ALTER COLUMN segment_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.segment_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: shared_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.shared_key (
    purpose text NOT NULL,
    secret bytea NOT NULL
);


--
-- Name: source; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source (
    source_id integer NOT NULL,
    tenant text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    config jsonb NOT NULL,
    project_id text,
    environment text,
    repository text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    language text DEFAULT 'english'::text NOT NULL,
    keep_history boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    detects_language boolean DEFAULT true NOT NULL,
    former_names text[] DEFAULT '{}'::text[] NOT NULL,
    history_days integer DEFAULT 90,
    history_from timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT source_history_days_check CHECK ((history_days >= 0))
);


--
-- Name: source_grant; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source_grant (
    source_id integer NOT NULL,
    grantee text NOT NULL,
    reason text NOT NULL
);


--
-- Name: source_secret; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source_secret (
    source_id integer NOT NULL,
    sealed bytea NOT NULL,
    generation integer DEFAULT 1 NOT NULL,
    refused text
);


--
-- Name: source_source_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.source ALTER COLUMN source_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.source_source_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: source_stat; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source_stat (
    source_id integer NOT NULL,
    chunks bigint DEFAULT 0 NOT NULL,
    sum_length bigint DEFAULT 0 NOT NULL
);


--
-- Name: term_stat; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.term_stat (
    term_id bigint NOT NULL,
    source_id integer NOT NULL,
    df integer NOT NULL
);


--
-- Name: vector_task; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vector_task (
    source_id integer NOT NULL,
    embedding_set_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    size integer NOT NULL,
    leased_by text,
    lease_until timestamp with time zone DEFAULT '2000-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    error text,
    past boolean DEFAULT false NOT NULL
);


--
-- Name: work_done; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.work_done (
    source_id integer NOT NULL,
    kind text NOT NULL,
    slot timestamp with time zone NOT NULL,
    amount integer NOT NULL
);


--
-- Data for Name: access_token; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: baseline; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: baseline_source; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: chunk; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chunk OVERRIDING SYSTEM VALUE VALUES
	(1, 2, 3, 3, 2, 0, 0, 27, 1, 3, 'table', 'name,bar
boiler,12
kettle,2', '\x75cbfd90e29f9ddcfc82b8f786387cdb225d05c05911be083b2fd523851a046e', '\x490406dfcdd7a5679ecdd171b4898aaab47e70bb0f611aea4880023efd363316', 10, '''12'':8 ''2'':10 ''bar'':6 ''boiler'':7 ''kettl'':9 ''name'':5 ''tabl'':1,2,3,4', '2026-11-25 23:27:35.686903+00', 'infinity', 'english', 'english'),
	(1, 3, 3, 3, 2, 1, 9, 18, 2, 2, 'table
name,bar', 'boiler,12', '\xefe7f69530ac4f8d3c604ac88577cd01ef20cedbcc92246c3835157e41e69da7', '\x54f9613d50dc440e0a4600d1482cc52adc7d57219ecbfc53dd0251c0856a5f55', 8, '''12'':8 ''bar'':5 ''boiler'':7 ''name'':4 ''tabl'':1,2,3,6', '2026-11-25 23:27:35.686903+00', 'infinity', 'english', 'english'),
	(1, 4, 3, 3, 2, 2, 19, 27, 3, 3, 'table
name,bar', 'kettle,2', '\x6a3e0eb6bbb8fda0f1858495f115b21d3c5d3fda689056e3fe250a5ca3920c86', '\x0f3788843d99e62f951381f66c607403610653cb3320256476b5768ef0951ec6', 8, '''2'':8 ''bar'':5 ''kettl'':7 ''name'':4 ''tabl'':1,2,3,6', '2026-11-25 23:27:35.686903+00', 'infinity', 'english', 'english'),
	(1, 5, 4, 5, 3, 0, 0, 49, 1, 3, 'Valve', '# Valve

The valve of the pump opens at nine bar.', '\x8fc785851dd4bbd031a06e06501fb687759da395e98ae9b41f55e7aca224e095', '\xe1f9a73856b1e532178eb98bdaa6fb50cadc01522761b9b1911cd03016f9175c', 10, '''bar'':14 ''nine'':13 ''open'':11 ''pump'':10 ''valv'':1,2,3,4,5,7', '2026-11-25 23:27:35.717864+00', 'infinity', 'english', 'english'),
	(1, 6, 1, 2, 4, 0, 0, 62, 1, 5, 'Pump', '# Pump

The pump of line 3 reaches thirty bar.

See [[valve]].', '\x711c75e123986c0224a5519c816ed8f4b6d4fd456a14d8df29a855619bf6da56', '\x53a16ee65a5e03e9165c20bfe1114acf7a0212d8fd69e8256d71afab04528c47', 13, '''3'':10 ''bar'':13 ''line'':9 ''pump'':1,2,3,4,5,7 ''reach'':11 ''see'':14 ''thirti'':12 ''valv'':15', '2026-11-25 23:27:47.570041+00', 'infinity', 'english', 'english'),
	(1, 7, 1, 7, 4, 1, 64, 108, 7, 9, 'Pump > Since', '## Since

The second version says forty bar.', '\xb009fd27b624a5478544a2ec7d3af4e16e06ee74fe43dd94f7abf4ac828c2c6b', '\x1cd958af7a9169355e9df6aeac33aa2f2b2536b76ea3320f7a2b6899c50b73fd', 13, '''bar'':14 ''forti'':13 ''pump'':1,3,5,7 ''say'':12 ''second'':10 ''sinc'':2,4,6,8 ''version'':11', '2026-11-25 23:27:47.570041+00', 'infinity', 'english', 'english'),
	(1, 1, 1, 2, 1, 0, 0, 62, 1, 5, 'Pump', '# Pump

The pump of line 3 reaches thirty bar.

See [[valve]].', '\x711c75e123986c0224a5519c816ed8f4b6d4fd456a14d8df29a855619bf6da56', '\x53a16ee65a5e03e9165c20bfe1114acf7a0212d8fd69e8256d71afab04528c47', 13, '', '2026-11-25 23:27:35.649755+00', '2026-11-25 23:27:47.570041+00', 'english', 'english');


--
-- Data for Name: chunk_delta; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: chunk_delta_past; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: chunk_terms; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chunk_terms VALUES
	(1, 2, 10, '\xd0248a9ea0d083190001c8cd7936628150460001c4647f1bf5b4b05800010a6b0cb262f144510001d35d139a0b9f2adb00017a84b3a0e20cf7080001d62608736c9c47300004'),
	(1, 3, 8, '\xd0248a9ea0d083190001c4647f1bf5b4b05800010a6b0cb262f1445100017a84b3a0e20cf7080001d62608736c9c47300004'),
	(1, 4, 8, '\xc8cd7936628150460001c4647f1bf5b4b0580001d35d139a0b9f2adb00017a84b3a0e20cf7080001d62608736c9c47300004'),
	(1, 5, 10, '\xc4647f1bf5b4b0580001f5e976c92a27bb4d000133443a392f3b11d4000114decad23fb09b070001f8f736b89392be040006'),
	(1, 6, 13, '\x8bb0d013b0a901b50001c4647f1bf5b4b0580001310763deeec0a673000114decad23fb09b0700067ef7187cc7a5ce870001d6e8270c42fd40780001453365424161bb3e0001f8f736b89392be040001'),
	(1, 7, 13, '\xc4647f1bf5b4b058000128ed8f87c0aef035000114decad23fb09b070004180ac7c381fb893e0001c62d89343abbba1f00015594dc6af20d71870004c509029e30feafe70001');


--
-- Data for Name: chunk_terms_past; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chunk_terms_past VALUES
	(1, 1, 13, '\x8bb0d013b0a901b50001c4647f1bf5b4b0580001310763deeec0a673000114decad23fb09b0700067ef7187cc7a5ce870001d6e8270c42fd40780001453365424161bb3e0001f8f736b89392be040001');


--
-- Data for Name: common_name; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: connect_page; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: document; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.document OVERRIDING SYSTEM VALUE VALUES
	(1, 1, NULL, 'page', 'pump.md', '2026-11-25 23:27:35.649755+00', 'infinity'),
	(1, 2, 1, 'section', 'pump.md#pump', '2026-11-25 23:27:35.649755+00', 'infinity'),
	(1, 3, NULL, 'page', 'table.csv', '2026-11-25 23:27:35.686903+00', 'infinity'),
	(1, 4, NULL, 'page', 'valve.md', '2026-11-25 23:27:35.717864+00', 'infinity'),
	(1, 5, 4, 'section', 'valve.md#valve', '2026-11-25 23:27:35.717864+00', 'infinity'),
	(1, 7, 1, 'section', 'pump.md#pump/since', '2026-11-25 23:27:47.570041+00', 'infinity');


--
-- Data for Name: embedding_1; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.embedding_1 VALUES
	(1, 2, '[-0.05923462,-0.004951477,-0.073791504,-0.0149383545,-0.0814209,0.038360596,0.024658203,0.023132324,-0.023910522,-0.055877686,-0.002445221,-0.103637695,0.038330078,-0.056671143,-0.052490234,-0.010643005,-0.050811768,-0.03286743,-0.012649536,-0.08721924,-0.042053223,-0.013015747,-0.0385437,0.008148193,0.04058838,0.09094238,-0.042816162,0.092285156,0.0101623535,-0.038513184,-0.028167725,-0.019210815,-0.046203613,0.009117126,0.012924194,-0.09362793,-0.027130127,0.017822266,0.0077590942,0.031707764,-0.02999878,-0.03237915,0.019302368,0.029830933,0.055023193,0.060455322,-0.0680542,-0.03353882,-0.0066375732,-0.038085938,-0.036590576,-0.01939392,-0.040039062,0.046813965,0.07147217,-0.044036865,-0.067871094,0.03201294,0.026824951,0.1315918,-0.05682373,0.030441284,-0.003189087,0.011444092,0.045318604,0.006965637,-0.09863281,0.04928589,-0.015716553,0.030975342,0.05355835,-0.011138916,0.00077819824,-0.083618164,-0.009780884,-0.058044434,0.009017944,-0.008888245,-0.052337646,0.0002913475,-0.14685059,0.0071029663,-0.08795166,0.015808105,-0.083618164,0.0105896,0.022491455,-0.005420685,-0.007091522,-0.051696777,-0.011550903,0.016906738,0.01322937,0.026672363,-0.011001587,0.05065918,0.10357666,-0.017059326,0.023742676,0.05718994,0.014839172,0.06549072,-0.07171631,0.014762878,-0.103515625,0.024749756,0.003320694,0.059387207,0.050964355,-0.093811035,-0.07171631,0.012123108,-0.06689453,-0.05441284,-0.03463745,-0.07269287,-0.007965088,-0.0914917,0.014381409,-0.045288086,0.017868042,0.03186035,-0.033569336,0.0418396,-0.14172363,0.029449463,-0.01008606,-0,-0.08477783,-0.014923096,0.047332764,0.059143066,0.11444092,0.0016241074,-0.012062073,0.028457642,0.0049057007,0.08795166,0.048736572,0.013343811,-0.057678223,-0.0049552917,0.036468506,-0.013923645,0.06542969,0.042816162,0.03048706,-0.09643555,-0.019851685,0.054748535,0.06713867,0.051849365,0.00021255016,0.05419922,0.060302734,0.03363037,-0.017044067,0.033203125,0.12902832,-0.011581421,-0.031234741,-0.03451538,-0.04776001,-0.010566711,-0.008613586,0.012001038,0.037597656,0.01739502,0.01953125,0.027252197,-0.0045661926,0.091918945,0.028442383,0.004852295,-0.026931763,-0.02722168,0.038635254,-0.03665161,-0.0947876,0.03250122,0.010231018,0.06359863,-0.007423401,0.0009403229,-0.009681702,0.08325195,0.0070228577,0.015670776,-0.049987793,0.020446777,-0.057250977,0.019897461,-0.0072898865,0.015716553,-0.03967285,-0.020507812,0.080566406,-0.040283203,-0.083740234,0.035827637,0.09893799,0.052642822,0.09552002,-0.029907227,0.014015198,-0.062561035,-0.044158936,0.037902832,-0.028289795,-0.008338928,-0.045654297,0.025848389,-0.067993164,-0.061828613,0.050689697,-0.03213501,-0.050628662,0.07720947,-0.10479736,-0.00011640787,0.059631348,0.0101623535,-0.019927979,0,0.0021152496,0.02949524,-0.04598999,-0.03945923,0.06304932,-0.060455322,0.031097412,-0.052978516,0.007850647,0.07196045,0.014701843,-0.003753662,0.0036640167,0.010749817,-0.062683105,0.15258789,-0.031799316,0.028411865,-0.051116943,-0.0034236908,-0.0062789917,0.11706543,-0.080566406,-0.011390686,-0.011367798,0.038085938,-0.027786255,-0.062805176,0.028747559,0.05218506,-0.030807495,-0.012954712,0.010192871,0.04031372,-0.10015869,-0.032287598,0.15100098,-0.02810669,-0.051086426,0.06298828,0.068115234,-0.01687622,0.03439331,0.047821045,-0.044525146,0.046691895,0.06414795,-0.036132812,-0.018249512,0.053497314,0.06185913,-0.10021973,-0.073791504,-0.013168335,0.101257324,-0.07727051,0.031082153,-0.006259918,-0.10064697,0.031051636,0.072753906,0.10546875,0.0869751,0.07055664,0.04574585,0.024642944,-0.027252197,0.0062789917,0.053222656,-0.03527832,-0.06549072,-0.022781372,0.024215698,-0.0368042,-0.02519226,0.001698494,-0.048431396,0.06414795,-0.035186768,-0.02482605,-0.012756348,0.026428223,0.034088135,0.006248474,0.03930664,-0.083862305,0.1237793,0.09313965,0.05279541,0.057800293,-0.015792847,0.032928467,0.0025157928,-0.002811432,-0.039855957,-0,-0.038391113,-0.07287598,0.0025024414,0.038513184,0.011398315,-0.068115234,0.021224976,0.07910156,-0.031402588,-0.007621765,0.019515991,0.022628784,0.001786232,-0.017425537,-0.05102539,-0.012687683,-0.026260376,0.023925781,0.027114868,-0.041870117,0.006839752,0.02709961,0.051879883,-0.03640747,-0.012046814,-0.09832764,-0.035614014,0.058410645,0.01675415,0.008956909,0.0009803772,0.0020561218,0.04812622,-0.02331543,0.08874512,0.0031147003,-0.03378296,-0.026107788,-0.039611816,-0.030166626,-0.087890625,-0.05908203,-0.06542969,0.0052490234,0.06866455,0.037750244,-0.094055176,0.018188477,0.009635925,-0.031799316,-0.009567261,-0.02935791,0.14135742,-0.013648987,-0.029937744,0.1005249,0.00762558,0.0423584,0.06964111,-0.05206299,0.04937744,0.05709839,-0.01776123,-0.031677246]'),
	(1, 3, '[-0.04525757,-0.00472641,-0.067871094,-0.014251709,-0.06933594,0.048034668,0.03289795,0.04876709,0.0027484894,-0.035949707,0.016448975,-0.05206299,0.022201538,-0.058563232,-0.049957275,0.00022494793,-0.025253296,-0.04034424,-0.026229858,-0.02709961,-0.026992798,0.00018835068,-0.07098389,-0.00299263,0.050201416,0.0463562,-0.02558899,0.08868408,0.0032978058,-0.0317688,-0.03878784,-0.028671265,-0.00012552738,0.028030396,0.025848389,-0.08380127,-0.007785797,-0.006164551,0.016433716,0.047546387,-0.039611816,-0.037872314,0.01058197,0.01763916,0.055633545,0.036895752,-0.081726074,-0.042022705,-0.011299133,0.015083313,-0.051086426,-0.019744873,-0.016845703,0.03945923,0.07220459,0.0003771782,-0.076171875,0.015281677,0.03894043,0.109802246,-0.04660034,0.021377563,0.02696228,0.00020802021,0.03479004,0.011428833,-0.057739258,0.0635376,-0.0014467239,0.013160706,0.07550049,0.010154724,-0.010353088,-0.05899048,0.0011405945,-0.06903076,0.0069770813,0.017684937,-0.004333496,-0.010688782,-0.12005615,0.009338379,-0.088134766,0.0041618347,-0.06890869,0.027145386,0.021408081,-0.026123047,0.0038452148,-0.025909424,-0.040374756,-0.024337769,0.014816284,-0.0066223145,-0.04067993,0.028152466,0.11468506,-0.013969421,0.013221741,0.05508423,0.01713562,0.062042236,-0.081726074,0.023040771,-0.13916016,0.016998291,0.04748535,0.07562256,0.049713135,-0.098083496,-0.080078125,0.029281616,-0.06488037,-0.07269287,-0.04699707,-0.06829834,-0.015670776,-0.09954834,0.029174805,-0.04647827,0.020950317,0.05203247,-0.048095703,0.08843994,-0.17236328,0.015205383,0.018829346,-0,-0.064575195,-0.0014295578,0.06100464,0.042388916,0.12915039,-0.015312195,0.009063721,0.029769897,-0.031707764,0.0680542,0.02645874,-0.025680542,-0.050811768,-0.015098572,0.025543213,0.005710602,0.047058105,0.023620605,0.028076172,-0.09265137,-0.009147644,0.06311035,0.07733154,0.052764893,0.0027217865,0.066589355,0.03375244,0.061950684,-0.023468018,0.04449463,0.10601807,-0.0057754517,-0.016738892,-0.0079956055,-0.023712158,0.008041382,-0.029144287,0.025756836,0.01701355,0.029769897,0.05734253,0.013755798,-0.04888916,0.09637451,0.02381897,0.017074585,0.0065307617,-0.024383545,0.016525269,-0.062469482,-0.122680664,0.06378174,0.022354126,0.05606079,-0.010009766,0.009208679,-0.008094788,0.088378906,0.0022182465,-0.027801514,-0.019821167,0.026306152,-0.02583313,0.0335083,-0.0062408447,0.036010742,-0.032470703,-0.03466797,0.09844971,-0.07116699,-0.06976318,0.04135132,0.08135986,0.060424805,0.0869751,-0.024963379,-0.021835327,-0.04397583,-0.07128906,-0.0031051636,-0.018814087,-0.022735596,-0.058624268,0.033355713,-0.08404541,-0.07446289,0.07019043,-0.027694702,-0.052947998,0.043670654,-0.0836792,-0.034301758,0.038391113,0.042663574,-0.018798828,0,0.040039062,-0.009483337,-0.035705566,-0.04827881,0.032684326,-0.06347656,0.008056641,-0.046325684,-0.033050537,0.057037354,0.032196045,-0.016616821,-0.043640137,-0.016448975,-0.02041626,0.19641113,-0.008529663,0.014564514,-0.09716797,-0.030380249,-0.028320312,0.07531738,-0.084350586,0.013130188,0.0074157715,0.047546387,-0.0023593903,-0.037200928,0.007843018,0.042236328,-0.034973145,-0.0052108765,0.022872925,0.06329346,-0.12524414,-0.017364502,0.12243652,-0.045715332,-0.03387451,0.025634766,0.07745361,-0.0005078316,0.019989014,0.051879883,-0.05609131,0.035858154,0.06506348,-0.052978516,-0.00029540062,0.038146973,0.074035645,-0.124938965,-0.0637207,-0.016906738,0.11578369,-0.042266846,0.033355713,0.03640747,-0.10394287,0.022384644,0.048858643,0.10748291,0.07775879,0.047454834,0.054656982,0.0045661926,-0.01727295,0.00069379807,0.049987793,-0.04006958,-0.04208374,-0.014038086,0.022994995,0.019622803,-0.041748047,-0.008796692,-0.02973938,0.040283203,-0.06262207,-0.018737793,-0.015571594,-0.04837036,0.053497314,0.020645142,0.022567749,-0.078125,0.12030029,0.10949707,0.02998352,0.062561035,-0.018325806,-0.008720398,-0.036071777,0.014038086,-0.016830444,-0,-0.0138549805,-0.08074951,-0.028915405,0.034851074,-0.004722595,-0.069885254,0.014328003,0.061309814,-0.037750244,-0.012878418,0.041900635,0.01927185,-0.008804321,-0.020111084,-0.058441162,-0.035217285,-0.028793335,0.032989502,0.024597168,-0.045562744,-0.013694763,0.02609253,0.05114746,-0.04647827,0.01725769,-0.11425781,-0.07751465,0.07312012,0.030181885,-0.018722534,-0.012771606,0.029205322,0.035949707,-0.033203125,0.097961426,0.04800415,0.0022792816,-0.026611328,-0.024780273,-0.016677856,-0.06640625,-0.047729492,-0.07745361,-0.011253357,0.066223145,0.05618286,-0.07952881,0.036468506,0.012542725,-0.018463135,-0.0050468445,-0.025970459,0.109313965,0.02204895,-0.078552246,0.085510254,-0.003566742,0.03930664,0.06958008,-0.04598999,0.034179688,0.055114746,-0.021347046,-0.03387451]'),
	(1, 4, '[-0.07159424,-0.0052108765,-0.06695557,-0.030090332,-0.12573242,0.022567749,0.0758667,0.0067825317,0.010696411,-0.055419922,-0.007282257,-0.13000488,0.04284668,-0.034484863,-0.07183838,0.0039520264,-0.045166016,-0.008659363,0.026733398,-0.08459473,-0.058166504,0.020645142,-0.0034713745,-0.022583008,0.010391235,0.092163086,-0.05682373,0.090148926,-0.0022640228,-0.068359375,-0.023147583,-0.0030155182,-0.05496216,0.010017395,-0.024002075,-0.10284424,-0.04034424,0.0491333,0.014076233,0.023452759,-0.03036499,-0.046905518,0.00944519,0.03427124,0.019470215,0.048065186,-0.047180176,-0.046081543,-0.011955261,-0.030029297,-0.046875,-0.020004272,-0.004043579,0.0368042,0.05810547,-0.02520752,-0.017715454,0.012084961,0.054779053,0.15991211,-0.055480957,0.04953003,0.005554199,0.034179688,0.04711914,-0.0003130436,-0.0881958,0.015472412,-0.029312134,0.05154419,0.03778076,0.00983429,-0.009162903,-0.06036377,0.013893127,-0.08117676,-0.015365601,-0.03012085,-0.079833984,0.007041931,-0.14807129,-0.0009584427,-0.090148926,0.0020942688,-0.08319092,0.009605408,0.0006995201,0.009513855,-0.01675415,-0.047302246,-0.03942871,0.04257202,-0.0046577454,0.040039062,-0.033966064,0.059448242,0.07293701,-0.020690918,7.015467e-05,0.087768555,0.008277893,0.08441162,-0.058135986,0.012550354,-0.028457642,-0.032592773,0.01991272,0.019363403,0.027236938,-0.087524414,-0.06213379,-0.013572693,-0.072753906,-0.0395813,-0.08648682,-0.03111267,-0.018661499,-0.07159424,0.023162842,-0.08380127,0.031585693,0.051696777,-0.07409668,0.033721924,-0.12310791,0.004447937,-0.0012025833,-0,-0.053710938,-0.03704834,0.06756592,0.058532715,0.1595459,-0.0057640076,-0.012435913,0.06359863,0.025863647,0.07055664,0.019424438,-0.05621338,-0.046020508,-0.033081055,0.05517578,0.011909485,0.021469116,0.021377563,0.0061416626,-0.0859375,-0.03466797,0.088134766,0.08166504,0.044067383,-0.008140564,0.039245605,0.06890869,0.019622803,0.028198242,0.044708252,0.105285645,-0.031433105,-0.014511108,-0.0692749,-0.029800415,-0.016601562,-0.01033783,-0.009902954,0.01600647,0.05255127,-0.019119263,0.014266968,-0.04055786,0.058563232,0.011360168,-0.021728516,-0.0129852295,-0.029144287,0.040130615,-0.035003662,-0.030792236,0.014732361,0.0013656616,0.0791626,-0.014404297,-0.0126571655,-0.027145386,0.0904541,0.013435364,0.007293701,-0.029205322,0.026672363,-0.055999756,0.0423584,-0.03048706,0.011962891,-0.029769897,-0.032684326,0.068603516,-0.08703613,-0.04727173,0.0015153885,0.09399414,0.034301758,0.055236816,-0.023757935,-0.004016876,-0.04611206,0.0047035217,0.03048706,-0.013725281,0.030548096,-0.05456543,0.0045280457,-0.082336426,-0.02960205,0.06335449,-0.06640625,-0.081726074,0.0670166,-0.13562012,0.031097412,0.029083252,-0.01058197,-0.008132935,0,-0.017959595,-0.003376007,-0.056152344,-0.043060303,0.07965088,-0.06774902,0.0032100677,-0.0124053955,0.019851685,0.04446411,-0.003993988,0.0016584396,0.01637268,-0.002998352,0.025543213,0.105041504,-0.04562378,0.05166626,-0.097961426,0.06726074,0.042297363,0.09875488,-0.046691895,0.021957397,-0.0061302185,0.003063202,0.028030396,-0.037139893,0.04058838,0.07501221,-0.05380249,-0.020523071,0.004699707,0.027374268,-0.068115234,0.0050849915,0.13623047,-0.10418701,-0.07165527,0.04901123,0.061340332,0.012039185,0.042999268,0.05987549,-0.012870789,0.069885254,0.03378296,-0.010375977,-0.019973755,0.0014858246,0.009597778,-0.068481445,-0.06719971,-0.03857422,0.115600586,-0.057495117,-0.0006670952,-0.012588501,-0.06976318,0.019180298,0.01399231,0.1227417,0.06506348,0.06591797,0.07232666,0.038909912,-0.030044556,0.021713257,0.008132935,-0.0069847107,-0.06072998,-0.036834717,0.0037059784,-0.045715332,-0.040618896,0.037353516,-0.04055786,0.071899414,-0.08154297,-0.0154418945,0.018844604,0.07110596,0.045166016,-0.019088745,0.04522705,-0.09741211,0.09466553,0.06933594,0.0093307495,0.052856445,-0.0016565323,0.034362793,-0.042785645,0.0040283203,-0.005317688,-0,-0.022705078,-0.049316406,0.018203735,0.037231445,0.040985107,-0.041107178,0.046173096,0.062927246,-0.0018539429,-0.014930725,0.033996582,0.03201294,0.0209198,-0.007801056,-0.051086426,0.03189087,-0.027862549,0.018096924,0.028900146,-0.04812622,-0.0129852295,0.017730713,0.07043457,-0.055114746,-0.039764404,-0.0546875,-0.043640137,0.05078125,-0.0048332214,-0.017471313,0.028778076,0.021621704,0.07220459,-0.008110046,0.111206055,-0.028579712,-0.059417725,-0.029693604,-0.029815674,-0.0010290146,-0.08227539,-0.046081543,-0.043395996,0.005344391,0.04888916,0.09338379,-0.08428955,0.08050537,-0.013053894,-0.051849365,0.0035324097,-0.035614014,0.107788086,-0.0070152283,-0.0066223145,0.12188721,0.009407043,0.0579834,0.04989624,-0.046142578,0.05493164,0.076660156,-0.012168884,0.017654419]'),
	(1, 5, '[-0.031341553,-0.03262329,-0.045043945,-0.0848999,-0.015716553,0.10266113,0.026794434,0.06939697,0.03591919,-0.09881592,0.0104522705,0.029449463,-0.049224854,-0.031463623,-0.035614014,-0.006126404,-0.075805664,-0.11468506,-0.0060539246,-0.08026123,0.076171875,0.06210327,-0.05722046,-0.02923584,-0.05505371,0.025726318,-0.031188965,-0.005466461,0.0020561218,-0.04373169,-0.031204224,-0.051879883,0.0073776245,0.019515991,0.016647339,-0.01600647,-0.05419922,0.046051025,-0.015594482,0.042175293,0.09490967,-0.07330322,-0.010826111,0.06982422,0.060516357,0.10058594,0.0037136078,-0.005722046,0.07043457,0.049682617,-0.062927246,-0.06060791,-0.019058228,0.04425049,0.015686035,-0.06124878,-0.042419434,-0.054992676,0.014755249,0.01737976,0.026611328,0.03918457,-0.045318604,0.048980713,0.016036987,-0.009033203,-0.06341553,-0.026885986,0.021514893,-0.05279541,0.09637451,0.0104904175,-0.022323608,-0.0758667,0.011077881,-0.05340576,0.011940002,-0.03567505,0.031204224,0.052886963,-0.005332947,-0.045928955,-0.011886597,-0.0045661926,-0.038848877,0.04498291,0.0050086975,-0.015777588,0.06137085,0.008384705,-0.11077881,-0.04663086,-0.022155762,0.095947266,0.09289551,0.029556274,-0.012489319,0.0017242432,-0.07672119,0.07299805,0.09429932,0.05065918,0.00047969818,0.035888672,0.015960693,0.0043258667,0.07775879,0.12585449,-0.030258179,-0.03857422,0.004764557,-0.05682373,0.061920166,-0.037322998,-0.06384277,-0.060150146,-0.06274414,0.032073975,-0.035858154,0.01524353,-0.041381836,0.0065574646,-0.04888916,-0.03918457,-0.15026855,0.048950195,-0.091918945,-0,-0.040374756,-0.07501221,0.08306885,0.013389587,-0.0134887695,-0.019683838,-0.06817627,0.055877686,-0.081970215,0.034942627,-0.0289917,-0.07623291,-0.12902832,-0.017562866,-0.03793335,-0.13891602,-0.01852417,0.090148926,-0.053131104,-0.09069824,0.08087158,0.051940918,-0.052337646,-0.07373047,0.00982666,0.079833984,0.0044670105,0.04208374,-0.0047836304,0.018951416,0.006290436,-0.026367188,-0.0065689087,0.023391724,0.038482666,-0.02456665,0.020996094,0.0071487427,-0.018554688,-0.024246216,0.011245728,-0.03265381,-0.04537964,0.028915405,0.025100708,-0.01637268,0.01600647,0.013412476,0.05795288,0.0019083023,0.0075187683,0.052490234,0.011734009,0.03604126,0.012794495,-0.07299805,0.003917694,0.091796875,-0.11236572,-0.025650024,-0.026901245,0.003118515,0.02583313,-0.057891846,0.02041626,-0.02897644,0.020355225,-0.008514404,0.0713501,0.017410278,-0.05618286,0.014511108,-0.0012722015,0.027999878,-0.0025691986,0.074401855,0.0036964417,0.04309082,-0.009674072,0.009361267,0.03414917,-0.06329346,-0.04257202,0.058380127,0.04522705,-0.011253357,0.025924683,-0.062347412,-0.017440796,-0.036590576,-0.017105103,0.05618286,0.013946533,0.004348755,0.022994995,0,-0.037994385,-0.020889282,-0.022506714,0.016204834,0.015090942,-0.032684326,0.06781006,-0.06970215,-0.031143188,0.066589355,-0.015945435,0.028869629,0.07525635,-0.003452301,-0.001909256,0.05783081,0.0074157715,0.035308838,-0.04043579,0.042907715,-0.028244019,0.014228821,-0.02709961,0.058654785,-0.022537231,0.055480957,0.08660889,0.026306152,0.06896973,-0.0070533752,-0.050354004,-0.019042969,0.035491943,0.05355835,-0.13623047,0.06866455,0.058135986,-0.0054092407,0.04196167,0.011993408,0.085998535,-0.0016174316,0.032348633,0.011070251,-0.07757568,0.08203125,0.11480713,-0.110839844,-0.06298828,0.019241333,-0.022338867,-0.03805542,-0.0059661865,0.045532227,0.066223145,-0.0053215027,0.030532837,0.062164307,-0.058044434,-0.03237915,0.035186768,0.028701782,-0.024383545,-0.03225708,-0.012886047,0.0077438354,0.012321472,0.031921387,-0.07635498,-0.08306885,0.0059776306,0.058380127,0.0024375916,-0.02178955,-0.048217773,-0.05239868,0.016799927,-0.030761719,-0.003616333,-0.022262573,0.01637268,-0.067871094,0.015792847,0.03387451,0.049804688,-0.020019531,0.14465332,0.026519775,0.049346924,0.09210205,-0.012382507,0.07342529,-0.037841797,0.0022735596,-0.018188477,-0,-0.035247803,-0.061920166,0.08477783,-0.050689697,-0.010528564,0.010437012,0.0021305084,0.056884766,-0.04171753,0.013465881,0.05645752,-0.021255493,0.009521484,-0.05496216,0.08874512,-0.027648926,-0.0635376,0.033416748,0.05102539,-0.08105469,-0.09075928,0.058807373,0.06365967,-0.007232666,0.0057029724,-0.03225708,-0.03225708,0.097961426,0.041015625,-0.04159546,0.050354004,0.0131073,-0.023849487,-0.09564209,-0.06500244,0.074279785,-0.0024547577,0.054779053,0.0015125275,-0.027069092,0.02609253,-0.015159607,-0.058685303,0.026245117,-0.10119629,0.07867432,0.034301758,0.08203125,-0.07409668,-0.0047798157,0.021240234,0.057525635,0.08001709,-0.004863739,-0.026519775,0.026397705,-0.06555176,0.010772705,-0.03741455,0.09887695,0.016418457,0.1472168,-0.0054473877,-0.06994629]'),
	(1, 6, '[-0.044830322,-0.0035686493,-0.10858154,-0.11071777,-0.06951904,-0.008972168,0.016448975,0.019500732,-0.018951416,-0.08178711,0.010787964,-0.011184692,0.018173218,-0.05596924,-0.018844604,0.06097412,-0.11639404,-0.031311035,-0.0053710938,-0.033233643,0.08135986,0.028289795,-0.02420044,0.06854248,-0.0206604,0.068725586,-0.06817627,-0.034332275,-0.0044441223,-0.042785645,-0.07928467,0.00573349,0.02166748,-0.02381897,0.053619385,-0.06945801,-0.03933716,0.037597656,-0.016540527,0.079589844,0.09820557,-0.07141113,-0.010383606,0.062683105,0.04296875,0.0703125,-0.1048584,-0.015579224,0.08538818,0.026275635,-0.06866455,-0.022064209,-0.06213379,0.05419922,-0.03100586,-0.043182373,-0.040985107,-0.015655518,0.038146973,0.018707275,0.021835327,0.040863037,-0.027664185,0.014465332,0.025314331,-0.068725586,-0.078125,0.033172607,0.0440979,0.035980225,0.010154724,-0.008522034,-0.012641907,-0.067993164,0.05657959,-0.051879883,0.027709961,0.003004074,0.025421143,0.025497437,-0.061065674,-0.06274414,-0.0071258545,0.023742676,-0.07385254,0.03805542,0.004146576,-0.07519531,0.06677246,0.026382446,-0.10821533,-0.032318115,-0.0524292,0.10321045,0.08380127,0.027923584,-0.007041931,-0.044708252,-0.08355713,0.045196533,0.061309814,0.08935547,0.015716553,0.019638062,-0.04324341,0.035247803,0.07745361,0.10638428,-0.07281494,0.03479004,0.0024776459,-0.08947754,0.040863037,-0.01777649,-0.039276123,0.03515625,-0.034057617,-0.009498596,0.025726318,0.04953003,0.026000977,0.019714355,-0.066223145,-0.05319214,-0.066833496,0.035247803,0.046051025,-0,-0.027069092,-0.05429077,0.0473938,0.06518555,-0.014266968,0.04611206,-0.09674072,0.059631348,-0.058563232,0.029632568,-0.024612427,-0.10107422,-0.014091492,-0.006664276,-0.07611084,-0.1328125,0.030166626,0.056640625,-0.04776001,-0.06915283,0.04083252,0.05770874,-0.09106445,-0.08520508,0.03225708,-0.001373291,-0.026290894,0.061798096,0.01939392,0.036590576,0.040893555,-0.021469116,0.0052108765,-0.024139404,-0.0059890747,-0.006500244,0.07281494,-0.006439209,-0.032043457,0.036224365,-0.01977539,-0.012535095,-0.009895325,0.018051147,-0.0112838745,0.0087509155,0.038970947,0.0075416565,-0.008270264,0.013587952,-0.005493164,0.094177246,0.02029419,0.0002439022,0.048309326,-0.061798096,-0.03274536,0.107299805,-0.08502197,0.0038337708,-0.024490356,0.04598999,0.0345459,0.009757996,0.009185791,0.019195557,-0.019210815,0.009742737,0.058898926,0.08081055,-0.10223389,0.007980347,-0.036376953,0.017333984,-0.0138549805,-0.035125732,-0.019378662,0.0018997192,-0.0082092285,-0.05947876,-0.0317688,-0.080078125,-0.025009155,0.02470398,0.057250977,-0.042114258,0.007019043,-0.0970459,-0.009887695,-0.06427002,-0.023391724,0.043640137,0.010040283,0.0010480881,0.009628296,0,0.019165039,0.06008911,-0.0072364807,-0.0019950867,0.0015926361,-0.04498291,0.09112549,-0.029327393,0.009010315,0.064941406,-0.035980225,0.0395813,-0.025222778,0.018936157,0.021697998,0.08392334,-0.02545166,-0.023422241,-0.034423828,0.052886963,0.04260254,-0.008666992,-0.046539307,0.105285645,-0.07562256,0.07336426,0.041107178,-0.032714844,0.05102539,-0.026031494,-0.0031375885,-0.058898926,0.018798828,0.026855469,-0.15124512,0.05355835,0.042022705,0.023040771,0.041290283,-0.031433105,0.06500244,0.0012388229,0.05718994,-0.02633667,-0.08270264,0.06567383,0.18859863,-0.057403564,-0.07598877,0.0068130493,-0.06402588,-0.08026123,0.013427734,0.09674072,0.036102295,-0.042419434,0.039367676,0.014259338,-0.051330566,0.014541626,0.04574585,-0.040924072,0.05291748,-0.06008911,0.06903076,0.00472641,0.019622803,-0.0030765533,-0.027374268,0.025039673,0.030548096,0.11437988,-0.06390381,-0.0042152405,-0.04751587,-0.04019165,0.015144348,0.031341553,-0.0063171387,-0.015838623,0.06854248,-0.002588272,0.04257202,0.017105103,-0.0054779053,-0.04788208,0.10443115,0.08703613,0.011299133,0.07110596,-0.011474609,0.049804688,-0.04800415,0.067993164,-0.0055389404,-0,-0.047821045,0.0014219284,0.0069885254,0.009300232,-0.025344849,0.032165527,-0.003376007,0.08843994,-0.03555298,-0.010063171,0.0309906,0.008857727,0.044128418,-0.0077400208,0.12597656,-0.0647583,-0.034210205,0.007888794,-0.0055274963,-0.10345459,-0.059173584,0.03186035,0.018920898,0.025558472,0.013053894,0.0053215027,-0.014060974,0.09613037,0.03161621,-0.02003479,0.052825928,0.0135650635,0.031311035,-0.060455322,-0.04333496,0.0178833,-0.033569336,0.050445557,-0.02041626,0.017669678,-0.019546509,0.023147583,-0.09008789,-0.0028800964,-0.016067505,0.018859863,-0.037475586,0.05392456,-0.1182251,-0.06896973,-0.016204834,0.04260254,0.11224365,0.04675293,0.0181427,-0.0149002075,-0.10406494,0.04156494,-0.050354004,0.06878662,0.035980225,0.06842041,0.011909485,-0.03250122]'),
	(1, 7, '[-0.014076233,0.019012451,0.081848145,-0.044799805,-0.069885254,0.026321411,0.044921875,0.07373047,-0.0048561096,-0.072265625,0.020095825,0.0423584,0.038879395,-0.03488159,-0.039916992,0.022094727,-0.048309326,-0.07922363,-0.02671814,-0.09838867,0.111083984,0.004623413,-0.046539307,0.016983032,0.013092041,0.064819336,-0.1459961,0.015434265,0.03741455,-0.020050049,-0.059936523,0.042175293,0.028274536,-0.050354004,-0.041534424,-0.11364746,-0.02848816,0.026794434,-0.061523438,0.05822754,0.039001465,-0.123291016,-0.0064048767,0.10479736,0.008651733,0.06756592,-0.05718994,0.025268555,0.047729492,0.06732178,-0.018737793,-0.035949707,-0.033721924,0.06323242,0.020202637,-0.062805176,-0.082336426,-0.041381836,0.02720642,0.029296875,-0.057861328,0.076171875,-0.03427124,-0.02067566,0.046539307,-0.07879639,-0.02909851,0.0076408386,-0.0009994507,0.057556152,0.02796936,0.013511658,0.043670654,0.018478394,0.010261536,-0.009017944,0.008132935,-0.055633545,0.017974854,-0.06365967,-0.0053520203,-0.11456299,-0.025299072,-0.01525116,-0.043151855,0.0073394775,0.0335083,-0.060791016,0.0657959,-0.022720337,-0.09088135,-0.01361084,-0.034088135,0.09698486,0.053253174,-0.0031547546,-0.03262329,0.13793945,-0.09234619,0.050231934,0.03717041,0.054382324,0.03062439,-0.043792725,-0.019546509,-0.059661865,0.07952881,0.105895996,0.03164673,-0.02267456,0.01876831,-0.031341553,0.007270813,-0.019699097,0.00554657,-0.08514404,-0.0024814606,0.015777588,-0.022445679,0.0014457703,-0.0068092346,-0.0043945312,-0.0027008057,-0.013473511,-0.10858154,0.031707764,-0.020355225,-0,9.185076e-05,-0.017929077,0.041625977,0.05545044,0.030639648,0.014282227,-0.0692749,0.03817749,-0.04537964,0.026809692,-0.038879395,-0.09033203,-0.05218506,-0.045013428,0.037139893,-0.11206055,0.010314941,0.036987305,-0.08807373,-0.10021973,0.02607727,0.08868408,-0.057861328,-0.0647583,0.046569824,-0.008590698,0.034301758,0.050354004,-0.02494812,0.041809082,0.0015993118,-0.06628418,-0.046081543,-0.030563354,0.048187256,-0.046905518,0.066223145,-0.022384644,-0.036834717,-0.037597656,-0.019866943,0.018463135,0.014205933,0.0010471344,-0.0019378662,0.012397766,0.040222168,0.03805542,-0.0069351196,-0.038726807,0.0103302,0.13684082,-0.01461792,0.028121948,0.055877686,-0.05999756,0.018356323,0.05987549,-0.040893555,0.013442993,0.056671143,0.059326172,0.049041748,-0.04562378,0.010665894,0.057495117,0.00869751,-0.00054454803,0.034851074,0.05758667,-0.061828613,0.025115967,-0.045410156,0.033294678,0.02406311,-0.046875,0.057617188,0.026824951,0.00655365,-0.04714966,-0.056549072,-0.039611816,-0.07489014,0.07611084,0.021392822,0.004299164,0.053222656,-0.03744507,0.015640259,-0.08892822,0.005718231,-0.0067634583,0.012489319,-0.0524292,-0.004627228,0,-0.017456055,-0.0023174286,0.018951416,0.06072998,0.052368164,-0.056915283,0.06329346,-0.03100586,0.0033931732,-0.028930664,0.027359009,0.037017822,-0.009552002,-0.02104187,0.047454834,0.08337402,-0.07952881,-0.0546875,-0.056762695,0.039245605,-0.014640808,0.020614624,0.01737976,0.13513184,-0.020523071,0.036193848,0.02961731,0.026473999,0.07348633,-0.048583984,0.027008057,0.012039185,0.020309448,0.02015686,-0.17443848,-0.005001068,0.028396606,-0.04333496,0.05102539,0.051361084,0.017486572,-0.05807495,0.07537842,0.015686035,-0.11187744,0.066345215,0.1348877,-0.056121826,-0.017181396,-0.036193848,0.038635254,-0.06933594,-0.05407715,0.032714844,0.018798828,-0.0395813,0.0015039444,0.04046631,-0.058654785,-0.026260376,0.03945923,0.020599365,0.015357971,-0.045715332,-0.0033988953,0.014282227,0.009918213,-0.020690918,-0.057739258,-0.07501221,-0.029251099,-0.03475952,-0.09509277,-0.021987915,-0.101379395,-0.021911621,0.052886963,0.038330078,0.00548172,-0.01234436,-0.07110596,-0.010543823,0.0043525696,0.07110596,0.017288208,-0.016540527,0.07965088,0.05831909,-0.018814087,0.070007324,0.05102539,0.039794922,-0.06286621,0.06756592,-0.0101623535,-0,-0.033447266,0.021652222,0.014007568,0.012481689,0.012298584,0.041931152,-0.10217285,0.037719727,0.014480591,0.020202637,0.046936035,0.011520386,-0.010520935,0.0029563904,0.030975342,-0.0848999,0.004573822,0.05065918,-0.014511108,-0.005683899,-0.057159424,0.032836914,0.017913818,0.006134033,-0.06378174,0.023391724,0.009468079,0.10925293,0.046325684,-0.08331299,0.094177246,0.093444824,-0.021469116,-0.0028972626,-0.038330078,0.03012085,0.0041885376,0.09503174,-0.029632568,0.033111572,-0.009132385,-0.09875488,-0.06994629,0.07702637,-0.029922485,0.016220093,-0.009803772,-0.021118164,-0.091308594,-0.06384277,0.001906395,0.0385437,0.092285156,0.06964111,0.054626465,0.023986816,-0.057006836,-0.002861023,0.040649414,0.029083252,0.1295166,-0.01687622,-0.0013513565,-0.033203125]');


--
-- Data for Name: embedding_1_past; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.embedding_1_past VALUES
	(1, 1, '[-0.044830322,-0.0035686493,-0.10858154,-0.11071777,-0.06951904,-0.008972168,0.016448975,0.019500732,-0.018951416,-0.08178711,0.010787964,-0.011184692,0.018173218,-0.05596924,-0.018844604,0.06097412,-0.11639404,-0.031311035,-0.0053710938,-0.033233643,0.08135986,0.028289795,-0.02420044,0.06854248,-0.0206604,0.068725586,-0.06817627,-0.034332275,-0.0044441223,-0.042785645,-0.07928467,0.00573349,0.02166748,-0.02381897,0.053619385,-0.06945801,-0.03933716,0.037597656,-0.016540527,0.079589844,0.09820557,-0.07141113,-0.010383606,0.062683105,0.04296875,0.0703125,-0.1048584,-0.015579224,0.08538818,0.026275635,-0.06866455,-0.022064209,-0.06213379,0.05419922,-0.03100586,-0.043182373,-0.040985107,-0.015655518,0.038146973,0.018707275,0.021835327,0.040863037,-0.027664185,0.014465332,0.025314331,-0.068725586,-0.078125,0.033172607,0.0440979,0.035980225,0.010154724,-0.008522034,-0.012641907,-0.067993164,0.05657959,-0.051879883,0.027709961,0.003004074,0.025421143,0.025497437,-0.061065674,-0.06274414,-0.0071258545,0.023742676,-0.07385254,0.03805542,0.004146576,-0.07519531,0.06677246,0.026382446,-0.10821533,-0.032318115,-0.0524292,0.10321045,0.08380127,0.027923584,-0.007041931,-0.044708252,-0.08355713,0.045196533,0.061309814,0.08935547,0.015716553,0.019638062,-0.04324341,0.035247803,0.07745361,0.10638428,-0.07281494,0.03479004,0.0024776459,-0.08947754,0.040863037,-0.01777649,-0.039276123,0.03515625,-0.034057617,-0.009498596,0.025726318,0.04953003,0.026000977,0.019714355,-0.066223145,-0.05319214,-0.066833496,0.035247803,0.046051025,-0,-0.027069092,-0.05429077,0.0473938,0.06518555,-0.014266968,0.04611206,-0.09674072,0.059631348,-0.058563232,0.029632568,-0.024612427,-0.10107422,-0.014091492,-0.006664276,-0.07611084,-0.1328125,0.030166626,0.056640625,-0.04776001,-0.06915283,0.04083252,0.05770874,-0.09106445,-0.08520508,0.03225708,-0.001373291,-0.026290894,0.061798096,0.01939392,0.036590576,0.040893555,-0.021469116,0.0052108765,-0.024139404,-0.0059890747,-0.006500244,0.07281494,-0.006439209,-0.032043457,0.036224365,-0.01977539,-0.012535095,-0.009895325,0.018051147,-0.0112838745,0.0087509155,0.038970947,0.0075416565,-0.008270264,0.013587952,-0.005493164,0.094177246,0.02029419,0.0002439022,0.048309326,-0.061798096,-0.03274536,0.107299805,-0.08502197,0.0038337708,-0.024490356,0.04598999,0.0345459,0.009757996,0.009185791,0.019195557,-0.019210815,0.009742737,0.058898926,0.08081055,-0.10223389,0.007980347,-0.036376953,0.017333984,-0.0138549805,-0.035125732,-0.019378662,0.0018997192,-0.0082092285,-0.05947876,-0.0317688,-0.080078125,-0.025009155,0.02470398,0.057250977,-0.042114258,0.007019043,-0.0970459,-0.009887695,-0.06427002,-0.023391724,0.043640137,0.010040283,0.0010480881,0.009628296,0,0.019165039,0.06008911,-0.0072364807,-0.0019950867,0.0015926361,-0.04498291,0.09112549,-0.029327393,0.009010315,0.064941406,-0.035980225,0.0395813,-0.025222778,0.018936157,0.021697998,0.08392334,-0.02545166,-0.023422241,-0.034423828,0.052886963,0.04260254,-0.008666992,-0.046539307,0.105285645,-0.07562256,0.07336426,0.041107178,-0.032714844,0.05102539,-0.026031494,-0.0031375885,-0.058898926,0.018798828,0.026855469,-0.15124512,0.05355835,0.042022705,0.023040771,0.041290283,-0.031433105,0.06500244,0.0012388229,0.05718994,-0.02633667,-0.08270264,0.06567383,0.18859863,-0.057403564,-0.07598877,0.0068130493,-0.06402588,-0.08026123,0.013427734,0.09674072,0.036102295,-0.042419434,0.039367676,0.014259338,-0.051330566,0.014541626,0.04574585,-0.040924072,0.05291748,-0.06008911,0.06903076,0.00472641,0.019622803,-0.0030765533,-0.027374268,0.025039673,0.030548096,0.11437988,-0.06390381,-0.0042152405,-0.04751587,-0.04019165,0.015144348,0.031341553,-0.0063171387,-0.015838623,0.06854248,-0.002588272,0.04257202,0.017105103,-0.0054779053,-0.04788208,0.10443115,0.08703613,0.011299133,0.07110596,-0.011474609,0.049804688,-0.04800415,0.067993164,-0.0055389404,-0,-0.047821045,0.0014219284,0.0069885254,0.009300232,-0.025344849,0.032165527,-0.003376007,0.08843994,-0.03555298,-0.010063171,0.0309906,0.008857727,0.044128418,-0.0077400208,0.12597656,-0.0647583,-0.034210205,0.007888794,-0.0055274963,-0.10345459,-0.059173584,0.03186035,0.018920898,0.025558472,0.013053894,0.0053215027,-0.014060974,0.09613037,0.03161621,-0.02003479,0.052825928,0.0135650635,0.031311035,-0.060455322,-0.04333496,0.0178833,-0.033569336,0.050445557,-0.02041626,0.017669678,-0.019546509,0.023147583,-0.09008789,-0.0028800964,-0.016067505,0.018859863,-0.037475586,0.05392456,-0.1182251,-0.06896973,-0.016204834,0.04260254,0.11224365,0.04675293,0.0181427,-0.0149002075,-0.10406494,0.04156494,-0.050354004,0.06878662,0.035980225,0.06842041,0.011909485,-0.03250122]');


--
-- Data for Name: embedding_set; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.embedding_set OVERRIDING SYSTEM VALUE VALUES
	(1, 'sentence-transformers/all-MiniLM-L6-v2', '39eeabdbb39a09a9135087a2d716a26c', 384, 'active', '2026-11-25 23:27:34.172504+00', '2026-11-25 23:27:34.172464+00', '{}', '{}', '{}', 0);


--
-- Data for Name: item; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.item VALUES
	(1, 'page', 'table.csv', '18eb6d7acc1ae7ee.18eb6d7acc1ae7ee.1c', '18eb6d7acc1ae7ee.18eb6d7acc1ae7ee.1c', '2026-11-25 23:27:30.615028+00', NULL, NULL, NULL, 0, '2000-01-01 00:00:00+00', false, NULL, false, 7, 'table=1'),
	(1, 'page', 'valve.md', '18eb6d7acc1b4f8f.18eb6d7acc1b4f8f.32', '18eb6d7acc1b4f8f.18eb6d7acc1b4f8f.32', '2026-11-25 23:27:30.615054+00', NULL, NULL, NULL, 0, '2000-01-01 00:00:00+00', false, NULL, false, 7, 'markdown=1'),
	(1, 'page', 'pump.md', '18eb6d7cdd56c11f.18eb6d7cdd56c11f.6d', '18eb6d7cdd56c11f.18eb6d7cdd56c11f.6d', '2026-11-25 23:27:39.494097+00', NULL, NULL, NULL, 0, '2000-01-01 00:00:00+00', false, NULL, false, 7, 'markdown=1');


--
-- Data for Name: known_name; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.known_name VALUES
	(1, 'pump', '{Pump}', 1),
	(1, 'table', '{table}', 1),
	(1, 'valve', '{Valve}', 1),
	(1, 'since', '{Since}', 2);


--
-- Data for Name: lexicon_stat; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lexicon_stat VALUES
	(1, 'english', 6, 62);


--
-- Data for Name: mention_state; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mention_state VALUES
	(1, 2, 2, 0, 0, '{1}', '2026-11-25 23:27:47.867584+00', '2026-11-25 23:32:47.955256+00', NULL, '2026-11-25 23:29:47.943371+00', '-infinity');


--
-- Data for Name: pending_login; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: posting_list; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.posting_list VALUES
	(1, 1, -8380970123549670987, '\x00000000000000010001000d'),
	(1, 1, -4295168386541506472, '\x00000000000000010001000d00000000000000020001000a00000000000000030001000800000000000000040001000800000000000000050001000a'),
	(1, 1, -3977389621410443194, '\x00000000000000020001000a000000000000000400010008'),
	(1, 1, -3448479000751471847, '\x00000000000000020001000a000000000000000300010008'),
	(1, 1, -3216393006531794213, '\x00000000000000020001000a000000000000000400010008'),
	(1, 1, -3015713608641525968, '\x00000000000000020004000a000000000000000300040008000000000000000400040008'),
	(1, 1, -2961073821379116936, '\x00000000000000010001000d'),
	(1, 1, -726919258475873459, '\x00000000000000050001000a'),
	(1, 1, -506876266678141436, '\x00000000000000010001000d00000000000000050006000a'),
	(1, 1, 750707723191010385, '\x00000000000000020001000a000000000000000300010008'),
	(1, 1, 1503862329948805895, '\x00000000000000010006000d00000000000000050001000a'),
	(1, 1, 3532902241834935923, '\x00000000000000010001000d'),
	(1, 1, 3694141611630596564, '\x00000000000000050001000a'),
	(1, 1, 4986440547668441918, '\x00000000000000010001000d'),
	(1, 1, 8828378673121654536, '\x00000000000000020001000a000000000000000300010008000000000000000400010008'),
	(1, 1, 9148808092230995591, '\x00000000000000010001000d'),
	(1, 2, -8380970123549670987, '\x00000000000000060001000d'),
	(1, 2, -4295168386541506472, '\x00000000000000060001000d00000000000000070001000d'),
	(1, 2, -4248861894997266457, '\x00000000000000070001000d'),
	(1, 2, -4166523222831154657, '\x00000000000000070001000d'),
	(1, 2, -2961073821379116936, '\x00000000000000060001000d'),
	(1, 2, -506876266678141436, '\x00000000000000060001000d'),
	(1, 2, 1503862329948805895, '\x00000000000000060006000d00000000000000070004000d'),
	(1, 2, 1732416649190672702, '\x00000000000000070001000d'),
	(1, 2, 2949171144213590069, '\x00000000000000070001000d'),
	(1, 2, 3532902241834935923, '\x00000000000000060001000d'),
	(1, 2, 4986440547668441918, '\x00000000000000060001000d'),
	(1, 2, 6166796141662663047, '\x00000000000000070004000d'),
	(1, 2, 9148808092230995591, '\x00000000000000060001000d'),
	(1, 3, -8380970123549670987, '\x00000000000000010001000d'),
	(1, 3, -4295168386541506472, '\x00000000000000010001000d'),
	(1, 3, -2961073821379116936, '\x00000000000000010001000d'),
	(1, 3, -506876266678141436, '\x00000000000000010001000d'),
	(1, 3, 1503862329948805895, '\x00000000000000010006000d'),
	(1, 3, 3532902241834935923, '\x00000000000000010001000d'),
	(1, 3, 4986440547668441918, '\x00000000000000010001000d'),
	(1, 3, 9148808092230995591, '\x00000000000000010001000d');


--
-- Data for Name: problem; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: relationship; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.relationship OVERRIDING SYSTEM VALUE VALUES
	(1, 3, 3, 3, 'named', NULL, NULL, 2, 0, 8, '2026-11-25 23:27:35.686903+00', 'infinity', NULL, '{}', 'term', 'table', 6241893043325081730),
	(1, 4, 4, 4, 'named', NULL, NULL, 3, 0, 7, '2026-11-25 23:27:35.717864+00', 'infinity', NULL, '{}', 'term', 'valve', -8765274211935827451),
	(1, 5, 4, 4, 'contains', 'valve.md#valve', NULL, 3, 0, 0, '2026-11-25 23:27:35.717864+00', 'infinity', NULL, '{}', 'section', NULL, -2449550339631169090),
	(1, 1, 1, 1, 'named', NULL, NULL, 1, 0, 6, '2026-11-25 23:27:35.649755+00', '2026-11-25 23:27:47.570041+00', NULL, '{}', 'term', 'pump', 8171843213510720448),
	(1, 2, 1, 1, 'contains', 'pump.md#pump', NULL, 1, 0, 0, '2026-11-25 23:27:35.649755+00', '2026-11-25 23:27:47.570041+00', NULL, '{}', 'section', NULL, -8166681969446692831),
	(1, 6, 1, 1, 'named', NULL, NULL, 4, 0, 6, '2026-11-25 23:27:47.570041+00', 'infinity', NULL, '{}', 'term', 'pump', 8171843213510720448),
	(1, 7, 1, 7, 'defines', NULL, NULL, 4, 64, 72, '2026-11-25 23:27:47.570041+00', 'infinity', NULL, '{}', 'term', 'since', -1860350060095602062),
	(1, 8, 1, 1, 'contains', 'pump.md#pump', NULL, 4, 0, 0, '2026-11-25 23:27:47.570041+00', 'infinity', NULL, '{}', 'section', NULL, -8166681969446692831),
	(1, 9, 1, 2, 'contains', 'pump.md#pump/since', NULL, 4, 64, 64, '2026-11-25 23:27:47.570041+00', 'infinity', NULL, '{}', 'section', NULL, 4418716657552302727);


--
-- Data for Name: revision; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.revision OVERRIDING SYSTEM VALUE VALUES
	(1, 2, 3, '\x2d95aac4f92eb951095a3cca40512df3d87e0f8c06c3bc3f961a64896b237457', '18eb6d7acc1ae7ee.18eb6d7acc1ae7ee.1c', 'table', 'name,bar
boiler,12
kettle,2
', NULL, 'english', '{}', '{}', '2026-11-25 23:27:30.615028+00', '2026-11-25 23:27:35.686903+00', 'infinity', 7, '{}', '{}', 'table=1'),
	(1, 3, 4, '\x4bc57b755970cd7010b2777624ea7644d84a13bcfd298b0a5dd379e0cb3bd0b2', '18eb6d7acc1b4f8f.18eb6d7acc1b4f8f.32', 'Valve', '# Valve

The valve of the pump opens at nine bar.
', NULL, 'english', '{}', '{}', '2026-11-25 23:27:30.615054+00', '2026-11-25 23:27:35.717864+00', 'infinity', 7, '{}', '{}', 'markdown=1'),
	(1, 1, 1, '\xe754d34649cf1aa93f04c3045dfd4679f197e17ec716a92497f8c05da3ec93b3', '18eb6d7acc1a5dad.18eb6d7acc1a5dad.3f', 'Pump', '# Pump

The pump of line 3 reaches thirty bar.

See [[valve]].
', NULL, 'english', '{}', '{}', '2026-11-25 23:27:30.614992+00', '2026-11-25 23:27:35.649755+00', '2026-11-25 23:27:47.570041+00', 7, '{}', '{}', 'markdown=1'),
	(1, 4, 1, '\x7878a235dba9b3848d52a8022f916aa395d6782de58f2bc2bb0bef3247856040', '18eb6d7cdd56c11f.18eb6d7cdd56c11f.6d', 'Pump', '# Pump

The pump of line 3 reaches thirty bar.

See [[valve]].

## Since

The second version says forty bar.
', NULL, 'english', '{}', '{}', '2026-11-25 23:27:39.494097+00', '2026-11-25 23:27:47.570041+00', 'infinity', 7, '{}', '{}', 'markdown=1');


--
-- Data for Name: scan; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.scan VALUES
	(1, 2, false, NULL, NULL, '2026-11-25 23:27:45.609718+00', '2026-11-25 23:27:45.741021+00', '2026-11-25 23:27:45.741021+00', 3, 0, '', NULL, NULL, '', '2026-11-25 23:26:47.815125+00');


--
-- Data for Name: scan_memory; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.scan_memory VALUES
	(1, 'files skipped by type', '{}');


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_version VALUES
	(1, 'spine', '2026-11-25 23:27:33.748022+00'),
	(2, 'watching', '2026-11-25 23:27:33.748745+00'),
	(3, 'embedding_providers', '2026-11-25 23:27:33.74952+00'),
	(4, 'languages', '2026-11-25 23:27:33.753544+00'),
	(5, 'suspects', '2026-11-25 23:27:33.754014+00'),
	(6, 'text_versions', '2026-11-25 23:27:33.754676+00'),
	(7, 'scan_memory', '2026-11-25 23:27:33.756539+00'),
	(8, 'model_relationships', '2026-11-25 23:27:33.757252+00'),
	(9, 'shared_keys', '2026-11-25 23:27:33.758272+00'),
	(10, 'segments', '2026-11-25 23:27:33.765093+00'),
	(11, 'renames', '2026-11-25 23:27:33.766621+00'),
	(12, 'former_names', '2026-11-25 23:27:33.767078+00'),
	(13, 'access_tokens', '2026-11-25 23:27:33.76857+00'),
	(14, 'history', '2026-11-25 23:27:33.775151+00'),
	(15, 'repository_second', '2026-11-25 23:27:33.775557+00'),
	(16, 'graph', '2026-11-25 23:27:33.78092+00'),
	(17, 'mentions', '2026-11-25 23:27:33.785103+00'),
	(18, 'graph_walks', '2026-11-25 23:27:33.789279+00'),
	(19, 'pending_logins', '2026-11-25 23:27:33.791824+00'),
	(20, 'sections_of_pages', '2026-11-25 23:27:33.796455+00'),
	(21, 'forgotten_names', '2026-11-25 23:27:33.797739+00'),
	(22, 'sections_of_commits', '2026-11-25 23:27:33.8008+00'),
	(23, 'touched_revisions', '2026-11-25 23:27:33.805727+00'),
	(24, 'common_names_of_then', '2026-11-25 23:27:33.807466+00'),
	(25, 'reader_versions', '2026-11-25 23:27:33.808153+00');


--
-- Data for Name: section; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.section VALUES
	(1, 1, 2, 0, 'pump', NULL, 'Pump', '{Pump}', 1, 0, 62, '\x938c2871724ae24bf7db87d0e40d5e13358ef047bb6363f882824cae4da2514c'),
	(1, 3, 5, 0, 'valve', NULL, 'Valve', '{Valve}', 1, 0, 49, '\x52010b0d0a1bebfe25e977b05242694eddc0c14589be2f8b20c7345132d6fb6a'),
	(1, 4, 2, 0, 'pump', NULL, 'Pump', '{Pump}', 1, 0, 62, '\x938c2871724ae24bf7db87d0e40d5e13358ef047bb6363f882824cae4da2514c'),
	(1, 4, 7, 1, 'pump/since', 'pump', 'Since', '{Pump,Since}', 2, 64, 108, '\x1ecc259aac7e0c737541f7fbbf718ff3a9c65d117f56c870d1013b302d5ab91d');


--
-- Data for Name: segment; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.segment OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 5, '{1,2,3,4,5}', false),
	(1, 2, 2, '{6,7}', false),
	(1, 3, 1, '{1}', true);


--
-- Data for Name: shared_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: source; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.source OVERRIDING SYSTEM VALUE VALUES
	(1, 'local', 'pumps', 'docs', '{"root": "/srv/pumps"}', NULL, NULL, NULL, '{}', 'english', true, '2026-11-25 23:27:34.155143+00', true, '{}', 90, '-infinity');


--
-- Data for Name: source_grant; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.source_grant VALUES
	(1, 'user:owner', 'added on this machine');


--
-- Data for Name: source_secret; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: source_stat; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.source_stat VALUES
	(1, 6, 62);


--
-- Data for Name: term_stat; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.term_stat VALUES
	(-8380970123549670987, 1, 1),
	(-3977389621410443194, 1, 2),
	(-3448479000751471847, 1, 2),
	(-3216393006531794213, 1, 2),
	(-3015713608641525968, 1, 3),
	(-2961073821379116936, 1, 1),
	(-726919258475873459, 1, 1),
	(-506876266678141436, 1, 2),
	(750707723191010385, 1, 2),
	(3532902241834935923, 1, 1),
	(3694141611630596564, 1, 1),
	(4986440547668441918, 1, 1),
	(8828378673121654536, 1, 3),
	(9148808092230995591, 1, 1),
	(-4295168386541506472, 1, 6),
	(-4248861894997266457, 1, 1),
	(-4166523222831154657, 1, 1),
	(1503862329948805895, 1, 3),
	(1732416649190672702, 1, 1),
	(2949171144213590069, 1, 1),
	(6166796141662663047, 1, 1);


--
-- Data for Name: vector_task; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: baseline_baseline_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.baseline_baseline_id_seq', 1, false);


--
-- Name: chunk_chunk_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.chunk_chunk_id_seq', 7, true);


--
-- Name: document_document_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.document_document_id_seq', 7, true);


--
-- Name: embedding_set_embedding_set_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.embedding_set_embedding_set_id_seq', 1, true);


--
-- Name: known_name_number; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.known_name_number', 2, true);


--
-- Name: page_written; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.page_written', 1795649268, true);


--
-- Name: relationship_relationship_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.relationship_relationship_id_seq', 9, true);


--
-- Name: repository_second; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.repository_second', 1, false);


--
-- Name: revision_revision_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.revision_revision_id_seq', 4, true);


--
-- Name: segment_segment_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.segment_segment_id_seq', 3, true);


--
-- Name: source_source_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.source_source_id_seq', 1, true);


--
-- Name: access_token access_token_digest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.access_token
    ADD CONSTRAINT access_token_digest_key UNIQUE (digest);


--
-- Name: access_token access_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.access_token
    ADD CONSTRAINT access_token_pkey PRIMARY KEY (token_id);


--
-- Name: baseline baseline_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.baseline
    ADD CONSTRAINT baseline_pkey PRIMARY KEY (baseline_id);


--
-- Name: baseline_source baseline_source_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.baseline_source
    ADD CONSTRAINT baseline_source_pkey PRIMARY KEY (source_id, baseline_id);


--
-- Name: baseline baseline_tenant_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.baseline
    ADD CONSTRAINT baseline_tenant_name_key UNIQUE (tenant, name);


--
-- Name: chunk_delta_past chunk_delta_past_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_delta_past
    ADD CONSTRAINT chunk_delta_past_pkey PRIMARY KEY (source_id, chunk_id);


--
-- Name: chunk_delta chunk_delta_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_delta
    ADD CONSTRAINT chunk_delta_pkey PRIMARY KEY (source_id, chunk_id);


--
-- Name: chunk chunk_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (source_id, chunk_id);


--
-- Name: chunk_terms_past chunk_terms_past_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_terms_past
    ADD CONSTRAINT chunk_terms_past_pkey PRIMARY KEY (source_id, chunk_id);


--
-- Name: chunk_terms chunk_terms_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_terms
    ADD CONSTRAINT chunk_terms_pkey PRIMARY KEY (source_id, chunk_id);


--
-- Name: common_name common_name_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.common_name
    ADD CONSTRAINT common_name_pkey PRIMARY KEY (source_id, to_key, valid_to);


--
-- Name: connect_page connect_page_code_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connect_page
    ADD CONSTRAINT connect_page_code_key UNIQUE (code);


--
-- Name: connect_page connect_page_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connect_page
    ADD CONSTRAINT connect_page_pkey PRIMARY KEY (tenant, subject);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (source_id, document_id);


--
-- Name: document document_source_id_doc_type_native_id_valid_to_page_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_source_id_doc_type_native_id_valid_to_page_id_key UNIQUE NULLS NOT DISTINCT (source_id, doc_type, native_id, valid_to, page_id);


--
-- Name: embedding_1_past embedding_1_past_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedding_1_past
    ADD CONSTRAINT embedding_1_past_pkey PRIMARY KEY (source_id, chunk_id);


--
-- Name: embedding_1 embedding_1_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedding_1
    ADD CONSTRAINT embedding_1_pkey PRIMARY KEY (source_id, chunk_id);


--
-- Name: embedding_set embedding_set_model_fingerprint_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedding_set
    ADD CONSTRAINT embedding_set_model_fingerprint_key UNIQUE (model, fingerprint);


--
-- Name: embedding_set embedding_set_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedding_set
    ADD CONSTRAINT embedding_set_pkey PRIMARY KEY (embedding_set_id);


--
-- Name: item item_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.item
    ADD CONSTRAINT item_pkey PRIMARY KEY (source_id, doc_type, native_id);


--
-- Name: known_name known_name_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_name
    ADD CONSTRAINT known_name_pkey PRIMARY KEY (source_id, name);


--
-- Name: lexicon_stat lexicon_stat_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lexicon_stat
    ADD CONSTRAINT lexicon_stat_pkey PRIMARY KEY (source_id, configuration);


--
-- Name: mention_state mention_state_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mention_state
    ADD CONSTRAINT mention_state_pkey PRIMARY KEY (source_id);


--
-- Name: passage passage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passage
    ADD CONSTRAINT passage_pkey PRIMARY KEY (source_id, passage_id);


--
-- Name: pending_login pending_login_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pending_login
    ADD CONSTRAINT pending_login_pkey PRIMARY KEY (tenant, subject);


--
-- Name: posting_list posting_list_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.posting_list
    ADD CONSTRAINT posting_list_pkey PRIMARY KEY (source_id, segment_id, term_id);


--
-- Name: problem problem_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.problem
    ADD CONSTRAINT problem_pkey PRIMARY KEY (source_id, native_id, stage);


--
-- Name: ranked_hit ranked_hit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ranked_hit
    ADD CONSTRAINT ranked_hit_pkey PRIMARY KEY (source_id, list_id, rank);


--
-- Name: relationship relationship_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.relationship
    ADD CONSTRAINT relationship_pkey PRIMARY KEY (source_id, relationship_id);


--
-- Name: revision revision_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_pkey PRIMARY KEY (source_id, revision_id);


--
-- Name: revision revision_source_id_document_id_valid_to_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_source_id_document_id_valid_to_key UNIQUE (source_id, document_id, valid_to);


--
-- Name: scan_memory scan_memory_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scan_memory
    ADD CONSTRAINT scan_memory_pkey PRIMARY KEY (source_id, key);


--
-- Name: scan scan_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scan
    ADD CONSTRAINT scan_pkey PRIMARY KEY (source_id);


--
-- Name: schema_version schema_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (version);


--
-- Name: search_activity search_activity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_activity
    ADD CONSTRAINT search_activity_pkey PRIMARY KEY (server);


--
-- Name: section section_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.section
    ADD CONSTRAINT section_pkey PRIMARY KEY (source_id, revision_id, document_id);


--
-- Name: segment segment_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.segment
    ADD CONSTRAINT segment_pkey PRIMARY KEY (source_id, segment_id);


--
-- Name: shared_key shared_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.shared_key
    ADD CONSTRAINT shared_key_pkey PRIMARY KEY (purpose);


--
-- Name: source_grant source_grant_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_grant
    ADD CONSTRAINT source_grant_pkey PRIMARY KEY (source_id, grantee);


--
-- Name: source source_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (source_id);


--
-- Name: source_secret source_secret_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_secret
    ADD CONSTRAINT source_secret_pkey PRIMARY KEY (source_id);


--
-- Name: source_stat source_stat_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_stat
    ADD CONSTRAINT source_stat_pkey PRIMARY KEY (source_id);


--
-- Name: source source_tenant_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source
    ADD CONSTRAINT source_tenant_name_key UNIQUE (tenant, name);


--
-- Name: term_stat term_stat_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.term_stat
    ADD CONSTRAINT term_stat_pkey PRIMARY KEY (source_id, term_id);


--
-- Name: vector_task vector_task_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_task
    ADD CONSTRAINT vector_task_pkey PRIMARY KEY (source_id, embedding_set_id, chunk_id);


--
-- Name: work_done work_done_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.work_done
    ADD CONSTRAINT work_done_pkey PRIMARY KEY (source_id, kind, slot);


--
-- Name: chunk_embed_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chunk_embed_hash ON public.chunk USING btree (embed_hash) WHERE (valid_to = 'infinity'::timestamp with time zone);


--
-- Name: chunk_embed_hash_past; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chunk_embed_hash_past ON public.chunk USING btree (embed_hash) WHERE (valid_to < 'infinity'::timestamp with time zone);


--
-- Name: chunk_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chunk_page ON public.chunk USING btree (source_id, page_id) WHERE (valid_to = 'infinity'::timestamp with time zone);


--
-- Name: chunk_revision; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chunk_revision ON public.chunk USING btree (source_id, revision_id) INCLUDE (chunk_id, page_id, length, configuration);


--
-- Name: document_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX document_page ON public.document USING btree (source_id, page_id);


--
-- Name: embedding_1_hnsw; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX embedding_1_hnsw ON public.embedding_1 USING hnsw (vector public.halfvec_cosine_ops) WITH (m='16', ef_construction='64');


--
-- Name: embedding_set_one_active; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX embedding_set_one_active ON public.embedding_set USING btree ((true)) WHERE (state = 'active'::text);


--
-- Name: item_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX item_waiting ON public.item USING btree (source_id, retry_at, native_id) WHERE ((wanted_version IS DISTINCT FROM indexed_version) AND (NOT parked));


--
-- Name: known_name_new; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX known_name_new ON public.known_name USING btree (source_id, number);


--
-- Name: passage_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX passage_expiry ON public.passage USING btree (expires_at);


--
-- Name: passage_handle; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX passage_handle ON public.passage USING btree (passage_id);


--
-- Name: ranked_hit_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ranked_hit_expiry ON public.ranked_hit USING btree (expires_at);


--
-- Name: ranked_hit_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ranked_hit_list ON public.ranked_hit USING btree (list_id, rank);


--
-- Name: relationship_from; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationship_from ON public.relationship USING btree (source_id, from_document_id);


--
-- Name: relationship_native; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationship_native ON public.relationship USING btree (source_id, native_id) WHERE (native_id IS NOT NULL);


--
-- Name: relationship_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationship_page ON public.relationship USING btree (source_id, page_id, from_document_id, relationship_id) WHERE (valid_to = 'infinity'::timestamp with time zone);


--
-- Name: relationship_plain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationship_plain ON public.relationship USING btree (source_id, to_key) WHERE ((type = 'mentions'::text) AND (metadata <> '{}'::jsonb) AND (valid_to = 'infinity'::timestamp with time zone));


--
-- Name: relationship_target; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationship_target ON public.relationship USING btree (source_id, to_native_id) WHERE (type = 'succeeds'::text);


--
-- Name: relationship_to; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationship_to ON public.relationship USING btree (to_key, source_id) WHERE (to_key IS NOT NULL);


--
-- Name: relationship_to_head; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationship_to_head ON public.relationship USING btree (to_key, source_id, type, relationship_id) WHERE ((to_key IS NOT NULL) AND (valid_to = 'infinity'::timestamp with time zone));


--
-- Name: revision_content; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_content ON public.revision USING btree (source_id, content_hash);


--
-- Name: revision_lived; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_lived ON public.revision USING btree (source_id, valid_to, valid_from) INCLUDE (revision_id);


--
-- Name: section_document; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX section_document ON public.section USING btree (source_id, document_id);


--
-- Name: vector_task_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX vector_task_waiting ON public.vector_task USING btree (embedding_set_id, past, lease_until, chunk_id);


--
-- Name: baseline_source baseline_source_baseline_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.baseline_source
    ADD CONSTRAINT baseline_source_baseline_id_fkey FOREIGN KEY (baseline_id) REFERENCES public.baseline(baseline_id) ON DELETE CASCADE;


--
-- Name: baseline_source baseline_source_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.baseline_source
    ADD CONSTRAINT baseline_source_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: chunk_delta_past chunk_delta_past_source_id_chunk_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_delta_past
    ADD CONSTRAINT chunk_delta_past_source_id_chunk_id_fkey FOREIGN KEY (source_id, chunk_id) REFERENCES public.chunk_terms_past(source_id, chunk_id) ON DELETE CASCADE;


--
-- Name: chunk chunk_source_id_page_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk
    ADD CONSTRAINT chunk_source_id_page_id_fkey FOREIGN KEY (source_id, page_id) REFERENCES public.document(source_id, document_id) ON DELETE CASCADE;


--
-- Name: chunk chunk_source_id_revision_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk
    ADD CONSTRAINT chunk_source_id_revision_id_fkey FOREIGN KEY (source_id, revision_id) REFERENCES public.revision(source_id, revision_id) ON DELETE CASCADE;


--
-- Name: chunk_terms_past chunk_terms_past_source_id_chunk_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_terms_past
    ADD CONSTRAINT chunk_terms_past_source_id_chunk_id_fkey FOREIGN KEY (source_id, chunk_id) REFERENCES public.chunk(source_id, chunk_id) ON DELETE CASCADE;


--
-- Name: chunk_terms chunk_terms_source_id_chunk_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_terms
    ADD CONSTRAINT chunk_terms_source_id_chunk_id_fkey FOREIGN KEY (source_id, chunk_id) REFERENCES public.chunk(source_id, chunk_id) ON DELETE CASCADE;


--
-- Name: common_name common_name_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.common_name
    ADD CONSTRAINT common_name_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: document document_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: document document_source_id_page_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_source_id_page_id_fkey FOREIGN KEY (source_id, page_id) REFERENCES public.document(source_id, document_id) ON DELETE CASCADE;


--
-- Name: item item_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.item
    ADD CONSTRAINT item_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: known_name known_name_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_name
    ADD CONSTRAINT known_name_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: mention_state mention_state_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mention_state
    ADD CONSTRAINT mention_state_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: passage passage_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passage
    ADD CONSTRAINT passage_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: problem problem_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.problem
    ADD CONSTRAINT problem_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: ranked_hit ranked_hit_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ranked_hit
    ADD CONSTRAINT ranked_hit_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: relationship relationship_source_id_from_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.relationship
    ADD CONSTRAINT relationship_source_id_from_document_id_fkey FOREIGN KEY (source_id, from_document_id) REFERENCES public.document(source_id, document_id) ON DELETE CASCADE;


--
-- Name: relationship relationship_source_id_page_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.relationship
    ADD CONSTRAINT relationship_source_id_page_id_fkey FOREIGN KEY (source_id, page_id) REFERENCES public.document(source_id, document_id) ON DELETE CASCADE;


--
-- Name: revision revision_source_id_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_source_id_document_id_fkey FOREIGN KEY (source_id, document_id) REFERENCES public.document(source_id, document_id) ON DELETE CASCADE;


--
-- Name: scan_memory scan_memory_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scan_memory
    ADD CONSTRAINT scan_memory_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: scan scan_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scan
    ADD CONSTRAINT scan_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: section section_source_id_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.section
    ADD CONSTRAINT section_source_id_document_id_fkey FOREIGN KEY (source_id, document_id) REFERENCES public.document(source_id, document_id) ON DELETE CASCADE;


--
-- Name: section section_source_id_revision_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.section
    ADD CONSTRAINT section_source_id_revision_id_fkey FOREIGN KEY (source_id, revision_id) REFERENCES public.revision(source_id, revision_id) ON DELETE CASCADE;


--
-- Name: source_grant source_grant_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_grant
    ADD CONSTRAINT source_grant_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: source_secret source_secret_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_secret
    ADD CONSTRAINT source_secret_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: source_stat source_stat_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_stat
    ADD CONSTRAINT source_stat_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.source(source_id) ON DELETE CASCADE;


--
-- Name: vector_task vector_task_embedding_set_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_task
    ADD CONSTRAINT vector_task_embedding_set_id_fkey FOREIGN KEY (embedding_set_id) REFERENCES public.embedding_set(embedding_set_id) ON DELETE CASCADE;


--
-- Name: vector_task vector_task_source_id_chunk_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_task
    ADD CONSTRAINT vector_task_source_id_chunk_id_fkey FOREIGN KEY (source_id, chunk_id) REFERENCES public.chunk(source_id, chunk_id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


