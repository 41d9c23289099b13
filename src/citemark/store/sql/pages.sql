-- name: page_begin
-- The source is held, so that its removal and a change of its history setting wait for this page, and so that the setting is
-- the one that holds now; sets with what is written for each chunk.
SELECT s.source_id, s.keep_history,
       (SELECT coalesce(array_agg(e.embedding_set_id ORDER BY e.embedding_set_id), '{}') FROM embedding_set e
        WHERE e.state <> 'retired') AS set_ids
FROM source s WHERE s.source_id = %(source_id)s AND s.config -> 'sync' IS DISTINCT FROM 'false'::jsonb FOR KEY SHARE OF s

-- name: source_losing
-- A page that is deleted without history changes the source's row. A lock that was raised only then could deadlock.
SELECT source_id FROM source WHERE source_id = %(source_id)s AND NOT keep_history FOR NO KEY UPDATE

-- name: page_now
-- The open life of a page and its revision, locked against other writers of the same page. `held`: a baseline names a state
-- in which the page lived.
SELECT d.document_id, r.revision_id, r.content_hash, r.language, r.text_version, r.readers,
       greatest(d.valid_from, r.valid_from) AS since,
       EXISTS (SELECT 1 FROM baseline_source b JOIN baseline l USING (baseline_id)
               WHERE b.source_id = d.source_id AND l.at >= d.valid_from) AS held
FROM document d LEFT JOIN revision r
     ON r.source_id = d.source_id AND r.document_id = d.document_id AND r.valid_to = 'infinity'
WHERE d.source_id = %(source_id)s AND d.doc_type = %(doc_type)s AND d.native_id = %(native_id)s
  AND d.valid_to = 'infinity'
FOR UPDATE OF d

-- name: page_noted
-- The moment that a page is written at, after its writer was announced. A sequence has the second of it, because nobody waits
-- for another's number.
SELECT clock_timestamp() AS at, setval('page_written', extract(epoch FROM clock_timestamp())::bigint) AS second

-- name: pages_new
-- For each page without an open life: when its last one ended, and ids for it and its sections, so that all of it can be sent at
-- once. A page of the past is new whatever has its name.
SELECT p.native_id, nextval(s.revisions) AS revision_id,
       ARRAY(SELECT nextval(s.documents) FROM generate_series(0, p.sections)) AS document_ids,
       (SELECT max(valid_to) FROM document
        WHERE source_id = %(source_id)s AND doc_type = %(doc_type)s AND native_id = p.native_id
          AND valid_to < 'infinity') AS since
FROM (SELECT pg_get_serial_sequence('document', 'document_id')::regclass AS documents,
             pg_get_serial_sequence('revision', 'revision_id')::regclass AS revisions) s,
     unnest(%(names)s::text[], %(section_counts)s::int[]) AS p (native_id, sections)
WHERE %(past)s OR NOT EXISTS (SELECT 1 FROM document
    WHERE source_id = %(source_id)s AND doc_type = %(doc_type)s AND native_id = p.native_id AND valid_to = 'infinity')

-- name: pages_open
-- The first lives of pages, or the next ones, with their revisions.
WITH opened AS (
    INSERT INTO document (source_id, document_id, doc_type, native_id, valid_from, valid_to) OVERRIDING SYSTEM VALUE
    SELECT %(source_id)s, p.document_id, %(doc_type)s, p.native_id, %(at)s, %(until)s::timestamptz
    FROM unnest(%(page_ids)s::bigint[], %(names)s::text[]) AS p (document_id, native_id))
INSERT INTO revision (source_id, revision_id, document_id, content_hash, version, title, body, url, language, tags, metadata,
                      properties, dates, days, labels, modified_at, text_version, readers, words_from, valid_from, valid_to)
OVERRIDING SYSTEM VALUE
SELECT %(source_id)s, p.revision_id, p.document_id, p.content_hash, p.version, p.title, p.body, p.url, %(language)s,
       p.tags::text[], p.metadata, p.properties, p.dates, p.days, p.labels::text[], p.modified_at, p.text_version, p.readers,
       p.words_from, %(at)s, %(until)s::timestamptz
FROM unnest(%(revision_ids)s::bigint[], %(page_ids)s::bigint[], %(content_hashes)s::bytea[], %(versions)s::text[],
            %(titles)s::text[], %(bodies)s::text[], %(urls)s::text[], %(tags)s::text[], %(metadatas)s::jsonb[],
            %(properties)s::jsonb[], %(dates)s::jsonb[], %(days)s::datemultirange[], %(labels)s::text[],
            %(modified)s::timestamptz[], %(text_versions)s::int[], %(readers)s::text[], %(words_from)s::int[])
     AS p (revision_id, document_id, content_hash, version, title, body, url, tags, metadata, properties, dates, days, labels,
           modified_at, text_version, readers, words_from)

-- name: sections_new
-- The sections of new pages, whose ids are known.
WITH opened AS (
    INSERT INTO document (source_id, document_id, page_id, doc_type, native_id, valid_from, valid_to) OVERRIDING SYSTEM VALUE
    SELECT %(source_id)s, s.document_id, s.page_id, %(section_type)s, s.native_id, %(at)s, %(until)s::timestamptz
    FROM unnest(%(section_ids)s::bigint[], %(page_ids)s::bigint[], %(native_ids)s::text[]) AS s (document_id, page_id, native_id))
INSERT INTO section (source_id, revision_id, document_id, ordinal, slug, parent_slug, title, heading_path, level,
                     start_char, end_char, content_hash)
SELECT %(source_id)s, s.revision_id, s.document_id, s.ordinal, s.slug, s.parent_slug, s.title,
       string_to_array(s.heading_path, E'\x1f'), s.level, s.start_char, s.end_char, s.content_hash
FROM unnest(%(section_ids)s::bigint[], %(revision_ids)s::bigint[], %(ordinals)s::int[], %(slugs)s::text[], %(parents)s::text[],
            %(titles)s::text[], %(heading_paths)s::text[], %(levels)s::smallint[], %(starts)s::int[], %(ends)s::int[],
            %(hashes)s::bytea[])
     AS s (document_id, revision_id, ordinal, slug, parent_slug, title, heading_path, level, start_char, end_char, content_hash)

-- name: plans_discard
-- Foreign keys are checked by plans that a connection keeps. Those made while the tables were small may look at every row of
-- the source for each row of a large page.
DISCARD PLANS

-- name: revision_close
UPDATE revision SET valid_to = %(at)s
WHERE source_id = %(source_id)s AND document_id = %(page_id)s AND valid_to = 'infinity'

-- name: revision_open
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, url, language, tags, metadata,
                      properties, dates, days, labels, modified_at, text_version, readers, words_from, valid_from)
VALUES (%(source_id)s, %(page_id)s, %(content_hash)s, %(version)s, %(title)s, %(body)s, %(url)s, %(language)s, %(tags)s,
        %(metadata)s, %(properties)s, %(dates)s::jsonb, %(days)s::datemultirange, %(labels)s::text[], %(modified_at)s, %(text_version)s, %(readers)s, %(words_from)s, %(at)s)
RETURNING revision_id

-- name: revision_touch
-- Earlier states have the date of then. A row does not grow for ever: of more than a hundred touches the first are forgotten.
UPDATE revision r SET version = %(version)s, modified_at = %(modified_at)s, url = %(url)s,
       dates = %(dates)s::jsonb, days = %(days)s::datemultirange, labels = %(labels)s::text[],
       touched_at = CASE WHEN n.redated THEN r.touched_at[n.first:] || n.at ELSE r.touched_at END,
       dates_before = CASE WHEN n.redated THEN r.dates_before[n.first:] || r.modified_at ELSE r.dates_before END
FROM (SELECT revision_id, modified_at IS DISTINCT FROM %(modified_at)s::timestamptz AS redated,
             greatest(1, cardinality(touched_at) - 98) AS first,
             greatest(%(at)s::timestamptz, touched_at[cardinality(touched_at)] + interval '1 microsecond') AS at
      FROM revision WHERE source_id = %(source_id)s AND document_id = %(page_id)s AND valid_to = 'infinity') n
WHERE r.source_id = %(source_id)s AND r.revision_id = n.revision_id

-- name: body_before
-- The text of the page's revision that is about to be closed, if it may be kept as what it has beside the next one.
SELECT r.body FROM revision r
WHERE r.source_id = %(source_id)s AND r.revision_id = %(old_revision_id)s AND octet_length(r.body) <= %(longest_body)s
  AND NOT earlier_servers(38)

-- name: body_shorten
-- The closed revision's text is kept as what it has beside that of the open one, and only if it can be had from there exactly.
-- Of texts that need one another, one in so many stays whole.
UPDATE revision r SET body = '', body_from = n.revision_id, body_parts = %(parts)s::int[], body_rest = %(rest)s, body_needed = b.needed
FROM (SELECT coalesce(max(b.body_needed) + 1, 0)::smallint AS needed FROM revision b
      WHERE b.source_id = %(source_id)s AND b.body_from = %(old_revision_id)s) b,
     (SELECT n.revision_id, n.body FROM revision n
      WHERE n.source_id = %(source_id)s AND n.revision_id = %(revision_id)s OFFSET 0) n
WHERE r.source_id = %(source_id)s AND r.revision_id = %(old_revision_id)s AND b.needed < %(most_needed)s
  AND joined_body(n.body, %(parts)s::int[], %(rest)s) = r.body

-- name: sections_vanished
UPDATE document SET valid_to = %(at)s
WHERE source_id = %(source_id)s AND page_id = %(page_id)s AND valid_to = 'infinity'
  AND native_id <> ALL(%(native_ids)s)
RETURNING document_id, native_id

-- name: sections_open
-- The unique key tells old from new: a join would be planned by statistics, which a first load does not have yet.
INSERT INTO document (source_id, page_id, doc_type, native_id, valid_from, valid_to)
SELECT %(source_id)s, %(page_id)s, %(doc_type)s, n, %(at)s, %(until)s::timestamptz FROM unnest(%(native_ids)s::text[]) AS s (n)
ON CONFLICT (source_id, doc_type, native_id, valid_to, page_id) DO NOTHING
RETURNING document_id, native_id

-- name: sections_write
-- A section that the revision before had under the same title and path stays one row, and remembers where it stood in that. Such
-- a row is met by its key, as a conflict: a join would be planned by statistics, which a first load does not have yet.
INSERT INTO section (source_id, revision_id, document_id, ordinal, slug, parent_slug, title, heading_path, level,
                     start_char, end_char, content_hash)
SELECT %(source_id)s, coalesce(x.revision_id, %(revision_id)s), d.document_id, s.ordinal, s.slug, s.parent_slug, s.title,
       string_to_array(s.heading_path, E'\x1f'), s.level, s.start_char, s.end_char, s.content_hash
FROM unnest(%(native_ids)s::text[], %(ordinals)s::int[], %(slugs)s::text[], %(parents)s::text[], %(titles)s::text[],
            %(heading_paths)s::text[], %(levels)s::smallint[], %(starts)s::int[], %(ends)s::int[], %(hashes)s::bytea[])
     AS s (native_id, ordinal, slug, parent_slug, title, heading_path, level, start_char, end_char, content_hash)
-- The offset makes it one look-up per section, whatever the planner believes of the table's size.
CROSS JOIN LATERAL (SELECT d.document_id FROM document d
                    WHERE d.source_id = %(source_id)s AND d.doc_type = %(doc_type)s AND d.native_id = s.native_id
                      AND d.valid_to = %(until)s::timestamptz AND d.page_id = %(page_id)s OFFSET 0) d
CROSS JOIN (SELECT NOT earlier_servers(42) AS none OFFSET 0) e
LEFT JOIN LATERAL (SELECT x.revision_id FROM section x
                   WHERE e.none AND x.source_id = %(source_id)s AND x.revision_id = %(old_revision_id)s::bigint
                     AND x.document_id = d.document_id AND x.slug = s.slug AND x.title = s.title
                     AND x.heading_path = string_to_array(s.heading_path, E'\x1f')
                     AND coalesce(cardinality(x.revision_ids_before), 0) < %(most_places)s OFFSET 0) x ON true
ON CONFLICT (source_id, revision_id, document_id) DO UPDATE
SET revision_id = %(revision_id)s, ordinal = excluded.ordinal, parent_slug = excluded.parent_slug, level = excluded.level,
    start_char = excluded.start_char, end_char = excluded.end_char, content_hash = excluded.content_hash,
    revision_ids_before = CASE WHEN %(keep)s THEN array_append(section.revision_ids_before, section.revision_id) END,
    start_chars_before = CASE WHEN %(keep)s THEN array_append(section.start_chars_before, section.start_char) END,
    end_chars_before = CASE WHEN %(keep)s THEN array_append(section.end_chars_before, section.end_char) END
RETURNING document_id, slug

-- name: sections_before
-- Sections of the page's revision that is about to be closed, for following renamed headings.
SELECT s.document_id, d.native_id, s.content_hash, s.ordinal, substr(r.body, s.start_char + 1, s.end_char - s.start_char) AS text
FROM section s
JOIN revision r ON r.source_id = s.source_id AND r.revision_id = s.revision_id
JOIN document d ON d.source_id = s.source_id AND d.document_id = s.document_id
WHERE s.source_id = %(source_id)s AND s.revision_id = %(revision_id)s

-- name: chunks_write
-- A server without the configuration reads the words as they stand; the chunk keeps what read it. Chunks of a state of the
-- past are written where superseded ones are moved to. Ids are drawn first, so that chunks and words need no join.
WITH reader AS MATERIALIZED (
    SELECT oid::regconfig AS id, cfgname::text AS name, term_seed(%(source_id)s, cfgname::text) AS seed,
           pg_get_serial_sequence('chunk', 'chunk_id')::regclass AS ids
    FROM pg_ts_config
    WHERE cfgname IN (%(configuration)s, 'simple') AND pg_ts_config_is_visible(oid)
    ORDER BY cfgname = %(configuration)s DESC LIMIT 1),
words AS MATERIALIZED (
    SELECT %(source_id)s::int AS source_id, nextval(r.ids) AS chunk_id, c.*, r.name AS configuration, w.length, w.terms
    FROM unnest(%(page_ids)s::bigint[], %(revision_ids)s::bigint[], %(document_ids)s::bigint[], %(ordinals)s::int[],
                %(starts)s::int[], %(ends)s::int[], %(start_lines)s::int[], %(end_lines)s::int[], %(contexts)s::text[], %(texts)s::text[],
                %(lexicals)s::text[], %(text_hashes)s::bytea[], %(embed_hashes)s::bytea[], %(in_body)s::bool[],
                %(copies)s::int[])
         AS c (page_id, revision_id, document_id, ordinal, start_char, end_char, start_line, end_line, context, text, lexical,
               text_hash, embed_hash, in_body, copy)
    CROSS JOIN reader r
    -- The offset keeps the parser from running twice.
    CROSS JOIN LATERAL (SELECT to_tsvector(r.id, c.lexical) AS lexemes OFFSET 0) v
    CROSS JOIN LATERAL (
        SELECT least(coalesce(sum(cardinality(l.positions)), 0), 32767)::smallint AS length,
               coalesce(string_agg(int8send(hashtextextended(l.lexeme COLLATE "C", r.seed))
                                   || int2send(cardinality(l.positions)::smallint), ''::bytea), '') AS terms
        FROM unnest(v.lexemes) l) w),
new AS (
    INSERT INTO chunk (source_id, chunk_id, page_id, document_id, revision_id, ordinal, start_char, end_char, start_line,
                       end_line, context, text, text_hash, embed_hash, language, configuration, length, valid_from, valid_to,
                       content_key)
    OVERRIDING SYSTEM VALUE
    SELECT %(source_id)s, c.chunk_id, c.page_id, c.document_id, c.revision_id, c.ordinal, c.start_char, c.end_char,
           c.start_line, c.end_line, c.context,
           CASE WHEN %(past)s AND c.in_body AND NOT earlier_servers() THEN '' ELSE c.text END, c.text_hash,
           c.embed_hash, %(language)s, c.configuration, c.length, %(at)s, %(until)s::timestamptz,
           CASE WHEN NOT %(past)s THEN content_key(c.page_id, c.configuration, c.embed_hash, c.terms, c.copy) END
    FROM words c),
worded AS (
    INSERT INTO chunk_terms (source_id, chunk_id, length, terms)
    SELECT source_id, chunk_id, length, terms FROM words WHERE NOT %(past)s::boolean),
waiting AS (
    INSERT INTO chunk_delta (source_id, chunk_id, configuration, gone)
    SELECT source_id, chunk_id, configuration, false FROM words WHERE NOT %(past)s::boolean),
worded_past AS (
    INSERT INTO chunk_terms_past (source_id, chunk_id, length, terms)
    SELECT source_id, chunk_id, length, terms FROM words WHERE %(past)s::boolean),
waiting_past AS (
    INSERT INTO chunk_delta_past (source_id, chunk_id) SELECT source_id, chunk_id FROM words WHERE %(past)s::boolean)
SELECT count(*) AS chunks FROM words

-- name: chunks_close
-- Words that no segment has yet are forgotten; the others are counted off when the deltas are folded. Where history is
-- kept, they and the wait for a vector go on among what is past, unless an earlier chunk with the same content left them
-- there. With their words is what they are called and the hash of their text; a chunk for which the same is there has none of its
-- own. A text that stands in the body of its revision is not kept twice; of a long body, looking for all of them would take too
-- long.
WITH beside AS MATERIALIZED (
    SELECT earlier_servers() AS before_segments, earlier_servers(43) AS before_sharing),
body AS MATERIALIZED (
    SELECT r.revision_id, r.body || '' AS text FROM revision r
    WHERE r.source_id = %(source_id)s AND r.document_id = %(page_id)s AND %(keep)s::boolean
      AND NOT (SELECT before_segments FROM beside)
      AND (r.valid_to = 'infinity' OR r.valid_to = %(at)s) AND octet_length(r.body) <= %(longest_body)s),
old AS (
    UPDATE chunk c SET valid_to = %(at)s, lexemes = '',
           text = CASE WHEN c.text = (SELECT substr(b.text, c.start_char + 1, c.end_char - c.start_char) FROM body b
                                      WHERE b.revision_id = c.revision_id) THEN '' ELSE c.text END,
           (context, text_hash) = (
               SELECT CASE WHEN s.shared THEN '' ELSE c.context END, CASE WHEN s.shared THEN '' ELSE c.text_hash END
               FROM (SELECT c.content_key IS NOT NULL AND %(keep)s::boolean AND NOT (SELECT before_sharing FROM beside) AND NOT EXISTS (
                         SELECT 1 FROM chunk_terms_past t WHERE t.source_id = c.source_id AND t.chunk_id = c.content_key
                            AND (t.context, t.text_hash) IS DISTINCT FROM (c.context, c.text_hash)) AS shared OFFSET 0) s)
    WHERE source_id = %(source_id)s AND page_id = %(page_id)s AND valid_to = 'infinity'
      AND revision_id IS DISTINCT FROM %(revision_id)s
    RETURNING source_id, chunk_id, configuration,
              CASE WHEN (SELECT before_segments FROM beside) THEN chunk_id ELSE coalesce(content_key, chunk_id) END AS key),
unworded AS (
    DELETE FROM chunk_terms t USING old o WHERE t.source_id = o.source_id AND t.chunk_id = o.chunk_id
    RETURNING t.source_id, t.chunk_id, o.configuration, o.key, t.length, t.terms),
unfolded AS (
    DELETE FROM chunk_delta d USING old o WHERE d.source_id = o.source_id AND d.chunk_id = o.chunk_id
    RETURNING d.chunk_id),
counted AS (
    INSERT INTO chunk_delta (source_id, chunk_id, configuration, gone, length, terms)
    SELECT u.source_id, u.chunk_id, u.configuration, true, u.length, u.terms FROM unworded u
    WHERE u.chunk_id NOT IN (SELECT n.chunk_id FROM unfolded n)),
past AS (
    INSERT INTO chunk_terms_past (source_id, chunk_id, length, terms, context, text_hash)
    SELECT u.source_id, u.key, u.length, u.terms, c.context, c.text_hash FROM unworded u
    -- As they were before: of one statement, no part sees what another changes.
    LEFT JOIN LATERAL (SELECT c.context, c.text_hash FROM chunk c
                       WHERE c.source_id = u.source_id AND c.chunk_id = u.chunk_id AND c.content_key = u.key OFFSET 0) c ON true
    WHERE %(keep)s::boolean
    ON CONFLICT DO NOTHING
    RETURNING source_id, chunk_id),
waiting AS (
    INSERT INTO chunk_delta_past (source_id, chunk_id) SELECT source_id, chunk_id FROM past),
requeued AS (
    UPDATE vector_task t SET past = true, leased_by = NULL, lease_until = '2000-01-01 00:00:00+00'
    FROM old o WHERE t.source_id = o.source_id AND t.chunk_id = o.chunk_id AND %(keep)s::boolean),
unqueued AS (
    DELETE FROM vector_task t USING old o
    WHERE t.source_id = o.source_id AND t.chunk_id = o.chunk_id AND NOT %(keep)s::boolean)
SELECT coalesce(array_agg(chunk_id), '{}') AS chunk_ids FROM old

-- name: vectors_retire
WITH gone AS (DELETE FROM embedding_{set} WHERE source_id = %(source_id)s AND chunk_id = ANY(%(chunk_ids)s)
              RETURNING source_id, chunk_id, vector)
INSERT INTO embedding_{set}_past (source_id, chunk_id, vector)
SELECT g.source_id, c.key, g.vector FROM gone g
CROSS JOIN (SELECT earlier_servers() AS any OFFSET 0) s
CROSS JOIN LATERAL (SELECT CASE WHEN s.any THEN c.chunk_id ELSE coalesce(c.content_key, c.chunk_id) END AS key
                    FROM chunk c WHERE c.source_id = g.source_id AND c.chunk_id = g.chunk_id OFFSET 0) c
WHERE %(keep)s::boolean
ON CONFLICT DO NOTHING

-- name: vectors_carry
-- Equal text was embedded before: copy its vector from a row of the same tenant, a living one if there is one. The rest is
-- queued.
-- Each text is looked up once, however often the pages repeat it, among a few rows of other revisions: with a look-up for
-- each chunk, those of one page would be compared with each other. Grouping instead of joining keeps that true whatever the
-- planner believes of the table's size.
WITH texts AS (
    SELECT c.embed_hash, array_agg(c.chunk_id) AS chunk_ids, array_agg(c.size) AS sizes, array_agg(c.rank) AS ranks
    FROM (SELECT c.embed_hash, c.chunk_id, length(c.context) + greatest(length(c.text), c.end_char - c.start_char) AS size, c.ordinal,
                 r.words_from,
                 vector_rank(c.ordinal, count(*) OVER (PARTITION BY c.revision_id), r.modified_at > clock_timestamp() - interval '30 days',
                             r.words_from IS NOT NULL) AS rank
          FROM (SELECT revision_id, modified_at, words_from FROM revision
                WHERE source_id = %(source_id)s AND revision_id = ANY(%(revision_ids)s::bigint[]) OFFSET 0) r
          CROSS JOIN LATERAL (SELECT c.* FROM chunk c
                              WHERE c.source_id = %(source_id)s AND c.revision_id = r.revision_id OFFSET 0) c) c
    WHERE c.words_from IS NULL OR c.ordinal < c.words_from
    GROUP BY c.embed_hash),
tenants AS MATERIALIZED (
    SELECT s.source_id FROM source s WHERE s.tenant = (SELECT tenant FROM source WHERE source_id = %(source_id)s)),
known AS MATERIALIZED (
    SELECT t.chunk_ids, t.sizes, t.ranks, coalesce(v.vector, p.vector) AS vector FROM texts t
    LEFT JOIN LATERAL (
        SELECT e.vector FROM (
            SELECT c.source_id, c.chunk_id FROM (
                SELECT c.source_id, c.chunk_id FROM chunk c
                WHERE c.embed_hash = t.embed_hash AND c.valid_to = 'infinity' AND c.revision_id <> ALL(%(revision_ids)s::bigint[])
                OFFSET 0) c
            WHERE c.source_id IN (SELECT source_id FROM tenants)
            LIMIT 64) c
        CROSS JOIN LATERAL (SELECT o.vector FROM embedding_{set} o
                            WHERE o.source_id = c.source_id AND o.chunk_id = c.chunk_id OFFSET 0) e
        LIMIT 1) v ON true
    LEFT JOIN LATERAL (
        SELECT e.vector FROM (
            SELECT c.source_id, c.chunk_id, c.content_key FROM (
                SELECT c.source_id, c.chunk_id, c.content_key FROM chunk c
                WHERE v.vector IS NULL AND c.embed_hash = t.embed_hash AND c.valid_to < 'infinity'
                  AND c.revision_id <> ALL(%(revision_ids)s::bigint[])
                OFFSET 0) c
            WHERE c.source_id IN (SELECT source_id FROM tenants)
            LIMIT 64) c
        CROSS JOIN LATERAL (SELECT o.vector FROM embedding_{set}_past o
                            WHERE o.source_id = c.source_id AND o.chunk_id IN (c.chunk_id, c.content_key) LIMIT 1) e
        LIMIT 1) p ON true),
carried AS (
    SELECT unnest(k.chunk_ids) AS chunk_id, k.vector FROM known k WHERE k.vector IS NOT NULL),
living AS (
    INSERT INTO embedding_{set} (source_id, chunk_id, vector)
    SELECT %(source_id)s, chunk_id, vector FROM carried WHERE NOT %(past)s::boolean),
past AS (
    INSERT INTO embedding_{set}_past (source_id, chunk_id, vector)
    SELECT %(source_id)s, chunk_id, vector FROM carried WHERE %(past)s::boolean),
queued AS (
    INSERT INTO vector_task (source_id, embedding_set_id, chunk_id, size, past, rank)
    SELECT %(source_id)s, {set}, unnest(k.chunk_ids), unnest(k.sizes), %(past)s::boolean, unnest(k.ranks)
    FROM known k WHERE k.vector IS NULL)
SELECT count(*)::int AS carried FROM carried

-- name: relationships_write
INSERT INTO relationship (source_id, page_id, from_document_id, type, to_native_id, to_url, to_kind, to_name, to_key,
                          revision_id, start_char, end_char, valid_from, valid_to, native_id, metadata)
SELECT %(source_id)s, r.page_id, r.from_id, r.type, r.to_native_id, r.to_url, r.to_kind, r.to_name,
       node_key(CASE WHEN r.to_native_id IS NULL THEN 0 ELSE %(source_id)s END, r.to_kind, r.to_node),
       r.revision_id, r.start_char, r.end_char, %(at)s, %(until)s::timestamptz, r.native_id, r.metadata
FROM unnest(%(page_ids)s::bigint[], %(revision_ids)s::bigint[], %(from_ids)s::bigint[], %(types)s::text[],
            %(to_native_ids)s::text[], %(to_urls)s::text[], %(to_kinds)s::text[], %(to_names)s::text[], %(to_nodes)s::text[], %(starts)s::int[], %(ends)s::int[],
            %(native_ids)s::text[], %(metadatas)s::jsonb[])
     AS r (page_id, revision_id, from_id, type, to_native_id, to_url, to_kind, to_name, to_node, start_char, end_char, native_id, metadata)

-- name: relationships_again
-- The relationships of a page that is written again. Open rows that say the same stay, and remember where it was stated before;
-- those of models, whose places are read with them, do not, nor those that remember many places. In each type the rows stay in the
-- order in which the page states them, so from the first that is new or stands elsewhere on, all are new. All columns are carried
-- along, because a join would be planned by statistics that a first load does not have yet. Mentions may have been recorded just
-- now, after the moment that this page is written at.
WITH said AS (
    SELECT r.number, NULL::bigint AS relationship_id, r.from_id, r.type, r.to_native_id, r.to_url, r.to_kind, r.to_name, k.to_key,
           r.start_char, r.end_char, r.native_id, r.metadata,
           CASE WHEN r.native_id IS NULL
                THEN ROW(r.from_id, r.type, r.to_native_id, r.to_url, r.to_kind, r.to_name, k.to_key, r.metadata)::text
                ELSE 'new ' || r.number END AS words
    FROM unnest(%(from_ids)s::bigint[], %(types)s::text[], %(to_native_ids)s::text[], %(to_urls)s::text[],
                %(to_kinds)s::text[], %(to_names)s::text[], %(to_nodes)s::text[], %(starts)s::int[], %(ends)s::int[],
                %(native_ids)s::text[], %(metadatas)s::jsonb[]) WITH ORDINALITY
         AS r (from_id, type, to_native_id, to_url, to_kind, to_name, to_node, start_char, end_char, native_id, metadata, number)
    CROSS JOIN LATERAL (SELECT node_key(CASE WHEN r.to_native_id IS NULL THEN 0 ELSE %(source_id)s END, r.to_kind, r.to_node)
                               AS to_key) k
    UNION ALL
    SELECT NULL, x.relationship_id, x.from_document_id, x.type, x.to_native_id, x.to_url, x.to_kind, x.to_name, x.to_key,
           x.start_char, x.end_char, x.native_id, x.metadata,
           CASE WHEN x.native_id IS NULL AND e.none AND coalesce(cardinality(x.moved_at), 0) < %(most_places)s
                THEN ROW(x.from_document_id, x.type, x.to_native_id, x.to_url, x.to_kind, x.to_name, x.to_key, x.metadata)::text
                ELSE 'old ' || x.relationship_id END
    FROM relationship x, (SELECT NOT earlier_servers(39) AS none OFFSET 0) e
    WHERE x.source_id = %(source_id)s AND x.page_id = %(page_id)s AND x.valid_to = 'infinity' AND x.type <> 'succeeds'),
paired AS (
    SELECT s.*, max(s.relationship_id) OVER (PARTITION BY s.words, s.copy) AS open_id
    FROM (SELECT s.*, row_number() OVER (PARTITION BY s.words, s.number IS NULL ORDER BY s.number, s.relationship_id) AS copy
          FROM said s) s),
stated AS MATERIALIZED (
    SELECT p.*, CASE WHEN bool_and(p.next) OVER (PARTITION BY p.type ORDER BY p.number) THEN p.open_id END AS staying_id
    FROM (SELECT p.*, coalesce(p.open_id > coalesce(max(p.open_id) OVER (
                          PARTITION BY p.type ORDER BY p.number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0), false) AS next
          FROM paired p WHERE p.number IS NOT NULL) p),
moved AS (
    UPDATE relationship x SET revision_id = %(revision_id)s, start_char = s.start_char, end_char = s.end_char,
           moved_at = CASE WHEN %(keep)s THEN array_append(x.moved_at, %(at)s::timestamptz) END,
           revision_ids_before = CASE WHEN %(keep)s THEN array_append(x.revision_ids_before, x.revision_id) END,
           start_chars_before = CASE WHEN %(keep)s THEN array_append(x.start_chars_before, x.start_char) END,
           end_chars_before = CASE WHEN %(keep)s THEN array_append(x.end_chars_before, x.end_char) END
    FROM stated s WHERE x.source_id = %(source_id)s AND x.relationship_id = s.staying_id),
closed AS (
    UPDATE relationship x SET valid_to = greatest(%(at)s, x.valid_from + interval '1 microsecond')
    WHERE x.source_id = %(source_id)s AND x.page_id = %(page_id)s AND x.valid_to = 'infinity' AND x.type <> 'succeeds'
      AND x.relationship_id NOT IN (SELECT s.staying_id FROM stated s WHERE s.staying_id IS NOT NULL))
INSERT INTO relationship (source_id, page_id, from_document_id, type, to_native_id, to_url, to_kind, to_name, to_key,
                          revision_id, start_char, end_char, valid_from, valid_to, native_id, metadata)
SELECT %(source_id)s, %(page_id)s, s.from_id, s.type, s.to_native_id, s.to_url, s.to_kind, s.to_name, s.to_key,
       %(revision_id)s, s.start_char, s.end_char, %(at)s, %(until)s::timestamptz, s.native_id, s.metadata
FROM stated s WHERE s.staying_id IS NULL ORDER BY s.number

-- name: page_close
UPDATE document SET valid_to = %(at)s
WHERE source_id = %(source_id)s AND (document_id = %(page_id)s OR page_id = %(page_id)s) AND valid_to = 'infinity'

-- name: relationships_close_all
UPDATE relationship SET valid_to = greatest(%(at)s, valid_from + interval '1 microsecond')
WHERE source_id = %(source_id)s AND page_id = %(page_id)s AND valid_to = 'infinity'

-- name: page_delete
-- Nothing says afterwards that the page was there, so the state of every earlier moment has a hole from now on.
WITH gone AS (DELETE FROM document WHERE source_id = %(source_id)s AND document_id = %(page_id)s)
UPDATE source SET history_from = greatest(history_from, %(at)s) WHERE source_id = %(source_id)s

-- name: past_forget
-- A source that keeps no history loses what was just closed; chunks go with their revisions. Each row is looked up from the page's
-- own documents, because only what is at HEAD is found by its page.
WITH documents AS MATERIALIZED (
    SELECT document_id, page_id IS NOT NULL AND valid_to < 'infinity' AS ended FROM document
    WHERE source_id = %(source_id)s AND (document_id = %(page_id)s OR page_id = %(page_id)s)),
l AS (DELETE FROM relationship WHERE source_id = %(source_id)s AND from_document_id = ANY(ARRAY(SELECT document_id FROM documents))
        AND valid_to < 'infinity'),
d AS (DELETE FROM document WHERE source_id = %(source_id)s AND document_id = ANY(ARRAY(SELECT document_id FROM documents WHERE ended))),
c AS (DELETE FROM chunk WHERE source_id = %(source_id)s AND valid_to < 'infinity' AND revision_id = ANY(ARRAY(
          SELECT revision_id FROM revision WHERE source_id = %(source_id)s AND document_id = %(page_id)s)))
DELETE FROM revision WHERE source_id = %(source_id)s AND document_id = %(page_id)s AND valid_to < 'infinity'

-- name: past_words_forget
-- Contents are those of one page.
DELETE FROM chunk_terms_past t USING (
    SELECT c.chunk_id, c.content_key FROM revision r
    CROSS JOIN LATERAL (SELECT c.chunk_id, c.content_key FROM chunk c
                        WHERE c.source_id = r.source_id AND c.revision_id = r.revision_id OFFSET 0) c
    WHERE r.source_id = %(source_id)s AND r.document_id = %(page_id)s) c
WHERE t.source_id = %(source_id)s AND t.chunk_id IN (c.chunk_id, c.content_key)

-- name: vectors_forget
DELETE FROM embedding_{set}_past WHERE source_id = %(source_id)s AND chunk_id = ANY(%(chunk_ids)s)
