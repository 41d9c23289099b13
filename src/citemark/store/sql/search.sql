-- (on replicas)
-- name: search_settings
-- Local to a transaction where a pooler may stand between, else once per connection.
SELECT set_config('jit', 'off', %(local)s), set_config('hnsw.ef_search', '200', %(local)s),
       set_config('work_mem', '64MB', %(local)s), set_config('max_parallel_workers_per_gather', '0', %(local)s),
       CASE WHEN v.scans_on THEN set_config('hnsw.iterative_scan', 'relaxed_order', %(local)s) END,
       CASE WHEN v.scans_on THEN set_config('hnsw.max_scan_tuples', '40000', %(local)s) END
-- pgvector scans on where a filter took too much since 0.8; an older one refuses the names of these settings.
FROM (SELECT coalesce((SELECT string_to_array(extversion, '.')::int[] >= '{0,8}' FROM pg_extension
                       WHERE extname = 'vector'), false) AS scans_on) v

-- name: query_terms (planned once)
-- The lexemes of texts as each lexicon of the fence reads them, with the lexicon's own number and count of each. The
-- first texts are the phrasings of the question, which some lexicons are asked for; the others are its names, which all
-- are asked for. Rows of number 0 are the segments that list them: `term_id` is that of a segment.
SELECT t.number, l.lexeme, f.source_id, f.configuration, cardinality(l.positions) AS times, coalesce(s.df, 0) AS df,
       hashtextextended(l.lexeme COLLATE "C", f.seed) AS term_id
FROM unnest(%(source_ids)s::int[], %(configurations)s::text[], %(seeds)s::bigint[], %(asked)s::bool[])
         AS f (source_id, configuration, seed, asked)
JOIN unnest(%(texts)s::text[]) WITH ORDINALITY AS t (text, number) ON f.asked OR t.number > %(phrasings)s
CROSS JOIN LATERAL unnest(to_tsvector(f.configuration::regconfig, t.text)) l
LEFT JOIN term_stat s ON s.source_id = f.source_id AND s.term_id = hashtextextended(l.lexeme COLLATE "C", f.seed)
UNION ALL
SELECT 0, '', g.source_id, '', 0, 0, g.segment_id FROM segment g
WHERE g.source_id = ANY(%(source_ids)s::int[]) AND NOT g.past

-- name: stop_languages (planned once)
-- The languages whose lists of stop words have each of these words.
SELECT w.word, array_agg(left(d.dictname, -5)) AS languages
FROM pg_ts_dict d CROSS JOIN unnest(%(words)s::text[]) AS w (word)
WHERE d.dictname LIKE '%%\_stem' AND pg_ts_dict_is_visible(d.oid) AND ts_lexize(d.oid::regdictionary, w.word) = '{}'
GROUP BY w.word

-- name: names_written (planned once)
-- Which names stand in what is not in the lexicon: titles and paths of documents without text, tags, and metadata, as of a
-- moment. Documents are found by the first word of a form of the name, or by what begins with it if it is the only one; then
-- they are read.
WITH looked_up AS MATERIALIZED (
    SELECT f.number, (string_agg(format(CASE WHEN f.form ~ '^\w+$' THEN '''%%s'':*' ELSE '''%%s''' END, f.word), ' | ')
                      || ' | ''…''')::tsquery AS words
    FROM (SELECT number, form, left(substring(lower(form) FROM '\w+'), 500) AS word
          FROM unnest(%(forms)s::text[], %(numbers)s::int[]) AS each (form, number)) f
    WHERE f.word <> '' GROUP BY f.number)
SELECT n.number FROM unnest(%(patterns)s::text[]) WITH ORDINALITY AS n (pattern, number)
LEFT JOIN looked_up l ON l.number = n.number
WHERE EXISTS (SELECT 1 FROM source s WHERE s.source_id = ANY(%(source_ids)s)
              AND concat_ws(' ', s.name, s.repository, s.environment, array_to_string(s.tags, ' ')) ~* n.pattern)
   OR EXISTS (SELECT 1
              FROM (SELECT d.source_id, d.document_id FROM document d
                    WHERE d.source_id = ANY(%(source_ids)s) AND d.page_id IS NULL AND words_in(d.native_id) @@ l.words
                    UNION ALL
                    SELECT r.source_id, r.document_id FROM revision r
                    WHERE r.source_id = ANY(%(source_ids)s) AND words_about(r.title, r.tags, r.metadata) @@ l.words
                      AND r.valid_from <= %(at)s AND r.valid_to > %(at)s) found
              CROSS JOIN LATERAL (SELECT d.native_id FROM document d
                  WHERE d.source_id = found.source_id AND d.document_id = found.document_id AND d.page_id IS NULL
                    AND d.valid_from <= %(at)s AND d.valid_to > %(at)s OFFSET 0) d
              CROSS JOIN LATERAL (SELECT r.title, r.tags, r.metadata FROM revision r
                  WHERE r.source_id = found.source_id AND r.document_id = found.document_id
                    AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) r
              WHERE concat_ws(' ', d.native_id, r.title, array_to_string(r.tags, ' '),
                              (SELECT string_agg(m.value, ' ') FROM jsonb_each_text(r.metadata) m)) ~* n.pattern)

-- name: posting_lists
-- The lists of the question's rare terms, from every segment of their sources: which term each is of, how long it is,
-- and all of them one after the other. A packed segment gives the block that may have the list. OFFSET 0 keeps each a look-up
-- of its own.
SELECT array_agg(l.number) AS numbers, array_agg(l.packed) AS packed, array_agg(octet_length(l.postings)) AS sizes,
       string_agg(l.postings, ''::bytea) AS postings
FROM (SELECT q.number, s.packed, p.postings
      FROM unnest(%(sources)s::int[], %(ids)s::bigint[]) WITH ORDINALITY AS q (source_id, term_id, number)
      JOIN segment s ON s.source_id = q.source_id AND NOT s.past
      CROSS JOIN LATERAL (
          SELECT p.postings FROM (SELECT p.postings FROM posting_list p WHERE NOT s.packed AND p.source_id = s.source_id
                                  AND p.segment_id = s.segment_id AND p.term_id = q.term_id OFFSET 0) p
          UNION ALL
          SELECT b.block FROM (SELECT b.block FROM posting_block b WHERE s.packed AND b.source_id = s.source_id
                               AND b.segment_id = s.segment_id AND b.first_term <= q.term_id
                               ORDER BY b.first_term DESC LIMIT 1) b) p) l

-- name: segment_lists
-- Lists of terms in segments, one after the other, and the chunks of those segments that are `new` (see array_send: 12 bytes
-- each, after 20 of a head). A segment that is no longer there is left out.
SELECT m.*, l.*
FROM (SELECT array_agg(s.segment_id) AS segment_ids,
             array_agg(CASE WHEN s.segment_id = ANY(%(new)s::bigint[]) THEN array_send(s.chunk_ids) ELSE '' END) AS members
      FROM segment s WHERE s.source_id = ANY(%(source_ids)s::int[]) AND s.segment_id = ANY(%(segment_ids)s::bigint[])) m,
     (SELECT array_agg(p.number) AS numbers, array_agg(p.packed) AS packed, array_agg(octet_length(p.postings)) AS sizes,
             string_agg(p.postings, ''::bytea) AS postings
      FROM (SELECT w.number, s.packed, p.postings
            FROM unnest(%(sources)s::int[], %(segments)s::bigint[], %(terms)s::bigint[]) WITH ORDINALITY
                 AS w (source_id, segment_id, term_id, number)
            CROSS JOIN LATERAL (SELECT s.packed FROM segment s
                                WHERE s.source_id = w.source_id AND s.segment_id = w.segment_id OFFSET 0) s
            CROSS JOIN LATERAL (
                SELECT p.postings FROM (SELECT p.postings FROM posting_list p WHERE NOT s.packed AND p.source_id = w.source_id
                                        AND p.segment_id = w.segment_id AND p.term_id = w.term_id OFFSET 0) p
                UNION ALL
                SELECT b.block FROM (SELECT b.block FROM posting_block b WHERE s.packed AND b.source_id = w.source_id
                                     AND b.segment_id = w.segment_id AND b.first_term <= w.term_id
                                     ORDER BY b.first_term DESC LIMIT 1) b) p) p) l

-- name: chunk_terms_read
-- What the words of chunks are; those that are not at HEAD have none.
SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
       array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
FROM chunk_terms t WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id = ANY(%(chunk_ids)s::bigint[])

-- name: chunk_terms_filtered
-- The same of those that a filter leaves. The planner may go by the chunks or by the pages, whichever are fewer.
SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
       array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
FROM chunk_terms t
WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id = ANY(ARRAY(
    SELECT c.chunk_id FROM chunk c
    WHERE c.source_id = ANY(%(source_ids)s) AND c.page_id = ANY(%(pages)s::bigint[]) AND c.valid_to = 'infinity'
      AND c.chunk_id = ANY(%(chunk_ids)s::bigint[])))

-- name: near_exact
-- Adding zero keeps the graph index out: small fences are scanned whole, with recall 1.
SELECT q.number, n.chunk_id, n.score
FROM unnest(%(vectors)b::halfvec[]) WITH ORDINALITY AS q (vector, number)
CROSS JOIN LATERAL (SELECT e.chunk_id, 1 - (e.vector <=> q.vector) AS score
      FROM embedding_{set} e
      WHERE e.source_id = ANY(%(source_ids)s)
      ORDER BY (e.vector <=> q.vector) + 0, e.chunk_id LIMIT {limit}) n

-- name: near_graph
SELECT q.number, n.chunk_id, n.score
FROM unnest(%(vectors)b::halfvec[]) WITH ORDINALITY AS q (vector, number)
CROSS JOIN LATERAL (SELECT e.chunk_id, 1 - (e.vector <=> q.vector) AS score
      FROM embedding_{set} e
      WHERE e.source_id = ANY(%(source_ids)s)
      ORDER BY e.vector <=> q.vector LIMIT {limit}) n

-- name: near_filtered_exact
SELECT q.number, n.chunk_id, n.score
FROM unnest(%(vectors)b::halfvec[]) WITH ORDINALITY AS q (vector, number)
CROSS JOIN LATERAL (SELECT e.chunk_id, 1 - (e.vector <=> q.vector) AS score
      FROM chunk c JOIN embedding_{set} e USING (source_id, chunk_id)
      WHERE c.source_id = ANY(%(source_ids)s) AND c.page_id = ANY(%(pages)s::bigint[]) AND c.valid_to = 'infinity'
      ORDER BY (e.vector <=> q.vector) + 0, e.chunk_id LIMIT {limit}) n

-- name: near_filtered_graph
SELECT q.number, n.chunk_id, n.score
FROM unnest(%(vectors)b::halfvec[]) WITH ORDINALITY AS q (vector, number)
CROSS JOIN LATERAL (SELECT e.chunk_id, 1 - (e.vector <=> q.vector) AS score
      FROM embedding_{set} e
      WHERE e.source_id = ANY(%(source_ids)s)
        AND EXISTS (SELECT 1 FROM chunk c WHERE c.source_id = e.source_id AND c.chunk_id = e.chunk_id
                    AND c.page_id = ANY(%(pages)s::bigint[]))
      ORDER BY e.vector <=> q.vector LIMIT {limit}) n

-- name: fresh_chunks (columns)
-- The chunks at HEAD of what was recorded since a question began: lists that it read before do not have them. Each source is
-- looked up in the index of revisions, in whose order the limit lets it end.
SELECT c.chunk_id FROM unnest(%(source_ids)s::int[]) AS s (source_id)
CROSS JOIN LATERAL (SELECT r.revision_id FROM revision r WHERE r.source_id = s.source_id AND r.valid_to = 'infinity'
      AND r.valid_from > %(began)s::timestamptz ORDER BY r.valid_from LIMIT 300) r
CROSS JOIN LATERAL (SELECT c.chunk_id FROM chunk c WHERE c.source_id = s.source_id AND c.revision_id = r.revision_id
      AND c.valid_to = 'infinity' OFFSET 0) c
LIMIT 300

-- name: chunks_fresh (planned once)
SELECT array_agg(f.chunk_id) AS fresh_ids FROM ({fresh_chunks}) f

-- name: candidates_nearest (planned once)
-- What one of the four above finds (sorted again, since iterative scans answer in relaxed order) and what ranking needs of
-- these chunks and of those that words have found: where they belong, and the cosines that the search did not give. Chunks that have ended are left out. Arrays instead of joins: there is no
-- plan to get wrong.
WITH near AS MATERIALIZED ({near}), fresh AS MATERIALIZED ({fresh_chunks})
SELECT d.*, h.*, n.*, f.*
FROM (SELECT array_agg(f.chunk_id) AS fresh_ids FROM fresh f) f,
     (SELECT array_agg(n.number ORDER BY n.number, n.score DESC, n.chunk_id) AS numbers,
             array_agg(n.chunk_id ORDER BY n.number, n.score DESC, n.chunk_id) AS nearest_ids,
             array_agg(n.score ORDER BY n.number, n.score DESC, n.chunk_id) AS scores FROM near n) d,
     (SELECT array_agg(c.chunk_id) AS chunk_ids, array_agg(c.source_id) AS source_ids, array_agg(c.page_id) AS page_ids,
             array_agg(c.text_hash) AS text_hashes,
             array_agg(c.chunk_id) FILTER (WHERE c.language <> ALL(%(own_languages)s::text[])) AS foreign_ids,
             array_agg(c.language) FILTER (WHERE c.language <> ALL(%(own_languages)s::text[])) AS foreign_languages
      FROM chunk c WHERE c.source_id = ANY(%(source_ids)s) AND c.valid_to = 'infinity' AND c.chunk_id = ANY(ARRAY(
          SELECT n.chunk_id FROM near n UNION SELECT f.chunk_id FROM fresh f UNION SELECT unnest(%(by_words)s::bigint[])))) h,
     (SELECT array_agg(q.number ORDER BY q.number) AS near_numbers, array_agg(e.chunk_id ORDER BY q.number) AS near_ids,
             array_agg(1 - (e.vector <=> q.vector) ORDER BY q.number) AS cosines
      FROM embedding_{set} e CROSS JOIN unnest(%(vectors)b::halfvec[]) WITH ORDINALITY AS q (vector, number)
      WHERE e.source_id = ANY(%(source_ids)s) AND e.chunk_id = ANY(ARRAY(
          (SELECT unnest(%(by_words)s::bigint[]) UNION SELECT f.chunk_id FROM fresh f)
          EXCEPT SELECT n.chunk_id FROM near n WHERE NOT %(several)s
          UNION SELECT n.chunk_id FROM near n WHERE %(several)s))) n

-- name: pages_filtered
-- Pages of the state of a moment that pass the caller's filters, with how many chunks they hold; HEAD is the state at the
-- end of time. The laterals keep the look-up of a page's revision, and of its chunks, one by its key: without statistics,
-- as right after a first sync, the planner would compare all with all.
-- Days and labels are looked up in their indexes, and only pages that have them are read.
SELECT d.document_id AS page_id,
       (SELECT count(*) FROM chunk c WHERE c.source_id = d.source_id AND c.revision_id = r.revision_id) AS chunks
FROM (SELECT d.* FROM document d WHERE %(days)s::daterange IS NULL AND %(labels)s::text[] = '{}'
      UNION ALL SELECT d.* FROM revision r JOIN document d USING (source_id, document_id)
      WHERE %(days)s::daterange IS NOT NULL AND NOT isempty(r.days) AND r.days && %(days)s::daterange
        AND r.source_id = ANY(%(source_ids)s) AND r.valid_from <= %(at)s AND r.valid_to > %(at)s
      UNION ALL SELECT d.* FROM revision r JOIN document d USING (source_id, document_id)
      WHERE %(days)s::daterange IS NULL AND %(labels)s::text[] <> '{}' AND r.labels <> '{}' AND r.labels && %(labels)s::text[]
        AND r.source_id = ANY(%(source_ids)s) AND r.valid_from <= %(at)s AND r.valid_to > %(at)s) d
JOIN source s ON s.source_id = d.source_id
CROSS JOIN LATERAL (SELECT r.revision_id, r.tags, r.labels, r.days, r.metadata, r.properties, r.language,
           coalesce(date_then(r.modified_at, r.touched_at, r.dates_before, %(at)s), r.valid_from) AS updated_at
    FROM revision r WHERE r.source_id = d.source_id AND r.document_id = d.document_id
      AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) r
WHERE d.source_id = ANY(%(source_ids)s) AND d.valid_from <= %(at)s AND d.valid_to > %(at)s AND d.page_id IS NULL
  AND (%(doc_types)s::text[] = '{}' OR d.doc_type = ANY(%(doc_types)s::text[]))
  AND (%(doc_tags)s::text[] = '{}' OR (r.tags || s.tags || s.name) && (%(doc_tags)s::text[] || ARRAY(SELECT normalize(t) FROM unnest(%(doc_tags)s::text[]) t)))
  AND (%(path_prefixes)s::text[] = '{}' OR EXISTS (SELECT 1 FROM unnest(%(path_prefixes)s::text[]) prefix
                                                   WHERE starts_with(normalize(coalesce(r.metadata ->> %(path_key)s::text, d.native_id)), normalize(prefix))))
  AND (%(updated_after)s::timestamptz IS NULL OR r.updated_at > %(updated_after)s)
  AND (%(updated_before)s::timestamptz IS NULL OR r.updated_at < %(updated_before)s)
  AND NOT EXISTS (SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) wanted
                  WHERE NOT coalesce(wanted.value ?| string_to_array(r.metadata ->> wanted.key, E'\n'), false))
  AND NOT EXISTS (SELECT 1 FROM jsonb_each(%(properties)s::jsonb) wanted WHERE NOT coalesce(
       r.properties -> wanted.key ?| ARRAY(SELECT jsonb_array_elements_text(wanted.value)), false))
  AND (%(labels)s::text[] = '{}' OR r.labels && %(labels)s::text[])
  AND (%(languages)s::text[] = '{}' OR r.language = ANY(%(languages)s::text[]))
  AND (%(days)s::daterange IS NULL OR r.days && %(days)s::daterange)

-- name: candidates_complete
-- What ranking needs of candidates that are at HEAD: where they belong, and the scores that are missing. Three answers side
-- by side and no join: there is no plan to get wrong.
SELECT h.*, n.*, w.*
FROM (SELECT array_agg(c.chunk_id) AS chunk_ids, array_agg(c.source_id) AS source_ids, array_agg(c.page_id) AS page_ids,
             array_agg(c.text_hash) AS text_hashes,
             array_agg(c.chunk_id) FILTER (WHERE c.language <> ALL(%(own_languages)s::text[])) AS foreign_ids,
             array_agg(c.language) FILTER (WHERE c.language <> ALL(%(own_languages)s::text[])) AS foreign_languages
      FROM chunk c
      WHERE c.source_id = ANY(%(source_ids)s) AND c.valid_to = 'infinity' AND c.chunk_id = ANY(%(chunk_ids)s::bigint[])) h,
     (SELECT array_agg(q.number ORDER BY q.number) AS near_numbers, array_agg(e.chunk_id ORDER BY q.number) AS near_ids,
             array_agg(1 - (e.vector <=> q.vector) ORDER BY q.number) AS cosines
      FROM embedding_{set} e CROSS JOIN unnest(%(vectors)b::halfvec[]) WITH ORDINALITY AS q (vector, number)
      WHERE e.source_id = ANY(%(source_ids)s) AND e.chunk_id = ANY(%(without_vector)s::bigint[])) n,
     (SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
             array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
      FROM chunk_terms t
      WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id = ANY(%(without_words)s::bigint[])) w

-- name: candidates_by_words
-- The same without a model.
SELECT h.*, NULL::bigint[] AS foreign_ids, NULL::text[] AS foreign_languages, NULL::bigint[] AS near_numbers,
       NULL::bigint[] AS near_ids, NULL::float8[] AS cosines, w.*
FROM (SELECT array_agg(c.chunk_id) AS chunk_ids, array_agg(c.source_id) AS source_ids, array_agg(c.page_id) AS page_ids,
             array_agg(c.text_hash) AS text_hashes
      FROM chunk c
      WHERE c.source_id = ANY(%(source_ids)s) AND c.valid_to = 'infinity' AND c.chunk_id = ANY(%(chunk_ids)s::bigint[])) h,
     (SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
             array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
      FROM chunk_terms t
      WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id = ANY(%(without_words)s::bigint[])) w

-- name: page_names (planned once)
-- What pages are called at a moment, in columns; tags as lines. The lateral keeps the look-up of a page's revision one by
-- its key.
SELECT array_agg(d.document_id) AS page_ids, array_agg(coalesce(r.metadata ->> %(path_key)s::text, d.native_id)) AS paths,
       array_agg(r.title) AS titles, array_agg(array_to_string(r.tags, E'\n')) AS tags
FROM document d
CROSS JOIN LATERAL (SELECT r.title, r.tags, r.metadata FROM revision r WHERE r.source_id = d.source_id
    AND r.document_id = d.document_id AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) r
WHERE d.source_id = ANY(%(source_ids)s) AND d.document_id = ANY(%(page_ids)s::bigint[])

-- name: pages_dated
-- The dates that pages state at a moment, of those that state any.
SELECT d.document_id AS page_id, r.dates
FROM document d
CROSS JOIN LATERAL (SELECT r.dates FROM revision r WHERE r.source_id = d.source_id AND r.document_id = d.document_id
    AND r.valid_from <= %(at)s AND r.valid_to > %(at)s OFFSET 0) r
WHERE d.source_id = ANY(%(source_ids)s) AND d.document_id = ANY(%(page_ids)s::bigint[]) AND r.dates IS NOT NULL

-- name: chunks_read (planned once)
-- The laterals fix the order of the joins, all of them point look-ups: searching for one took longer than the reading.
-- A superseded chunk without a text has it in the body of its revision, and what it is called may be with its words.
-- A file cannot have been changed in the future: a later `modified` or `created` (a day is left for time zones) is a wrong
-- clock's.
SELECT c.source_id, c.chunk_id, c.page_id, c.document_id, c.revision_id, c.start_char, c.end_char, c.start_line,
       c.end_line, coalesce(w.context, c.context) AS context, t.text, coalesce(w.text_hash, c.text_hash) AS text_hash, c.valid_to = 'infinity' AND p.valid_to = 'infinity' AS head,
       p.doc_type, p.native_id, d.native_id AS section_native_id, d.doc_type AS section_type, r.title, r.url, r.version,
       r.tags, r.modified_at, r.language, x.title AS section_title, x.heading_path, octet_length(t.text) AS size_bytes,
       coalesce(substring(r.dated FROM '^\d{4}-\d\d-\d\d(?:[T ][0-9:]+(?:Z|[+-]\d\d:?\d\d)?)?'), '') AS dated
FROM chunk c
CROSS JOIN LATERAL (SELECT p.doc_type, p.native_id, p.valid_to FROM document p
    WHERE p.source_id = c.source_id AND p.document_id = c.page_id OFFSET 0) p
CROSS JOIN LATERAL (SELECT d.doc_type, d.native_id FROM document d
    WHERE d.source_id = c.source_id AND d.document_id = c.document_id OFFSET 0) d
CROSS JOIN LATERAL (SELECT r.title, r.url, r.version, r.tags, r.language, r.body, r.body_from,
        date_then(r.modified_at, r.touched_at, r.dates_before, %(at)s) AS modified_at,
        coalesce(r.metadata ->> 'date', nullif(r.dates ->> 'begin', ''), nullif(r.dates ->> 'due', ''), r.metadata ->> 'published',
                 CASE WHEN left(r.metadata ->> 'modified', 10) COLLATE "C" <= f.latest THEN r.metadata ->> 'modified' END,
                 CASE WHEN left(r.metadata ->> 'created', 10) COLLATE "C" <= f.latest THEN r.metadata ->> 'created' END)
            AS dated
    FROM revision r, to_char(now() AT TIME ZONE 'UTC' + interval '1 day', 'YYYY-MM-DD') AS f (latest)
    WHERE r.source_id = c.source_id AND r.revision_id = c.revision_id OFFSET 0) r
CROSS JOIN LATERAL (SELECT CASE WHEN c.text <> '' OR c.valid_to = 'infinity' THEN c.text
                                ELSE substr(whole_body(r.body, r.body_from, c.source_id, c.revision_id),
                                            c.start_char + 1, c.end_char - c.start_char) END AS text OFFSET 0) t
LEFT JOIN LATERAL (SELECT w.context, w.text_hash FROM chunk_terms_past w
    WHERE c.text_hash = '' AND w.source_id = c.source_id AND w.chunk_id = c.content_key OFFSET 0) w ON true
LEFT JOIN LATERAL (SELECT x.title, x.heading_path FROM section x
    WHERE x.source_id = c.source_id AND x.document_id = c.document_id
      AND x.revision_id >= c.revision_id AND is_of(c.revision_id, x.revision_id, x.revision_ids_before)
    ORDER BY x.revision_id LIMIT 1) x ON true
WHERE c.source_id = ANY(%(source_ids)s) AND c.chunk_id = ANY(%(chunk_ids)s)

-- name: chunks_holding
-- The longer chunks that hold others of their revision, as tables hold their rows.
SELECT g.chunk_id AS held_id, c.chunk_id
FROM unnest(%(source_ids)s::int[], %(revision_ids)s::bigint[], %(chunk_ids)s::bigint[], %(starts)s::int[], %(ends)s::int[])
         AS g (source_id, revision_id, chunk_id, start_char, end_char)
JOIN chunk c ON c.source_id = g.source_id AND c.revision_id = g.revision_id
 AND c.start_char <= g.start_char AND c.end_char >= g.end_char
 AND c.end_char - c.start_char > g.end_char - g.start_char

-- name: chunk_reaching
-- The first chunk of a revision that holds text beyond a character of its body.
SELECT chunk_id FROM chunk
WHERE source_id = %(source_id)s AND revision_id = %(revision_id)s AND end_char > %(offset)s
ORDER BY start_char, chunk_id LIMIT 1

-- name: body_read
SELECT whole_body(r.body, r.body_from, r.source_id, r.revision_id) AS body, r.title
FROM revision r WHERE r.source_id = %(source_id)s AND r.revision_id = %(revision_id)s

-- name: revision_cited
-- A revision of a page, named by the page or by a section that it has, under the name that it had then. It is given in
-- every spelling that it may have, with composed letters and without.
SELECT r.valid_to = 'infinity' AS head
FROM revision r JOIN document p ON p.source_id = r.source_id AND p.document_id = r.document_id
WHERE r.source_id = %(source_id)s AND r.revision_id = %(revision_id)s
  AND (p.native_id = ANY(%(native_ids)s::text[])
       OR EXISTS (SELECT 1 FROM section x JOIN document d ON d.source_id = x.source_id AND d.document_id = x.document_id
                  WHERE d.source_id = r.source_id AND d.page_id = r.document_id AND d.native_id = ANY(%(native_ids)s::text[])
                    AND is_of(r.revision_id, x.revision_id, x.revision_ids_before)))

-- name: document_revisions
-- The revisions of a page that are kept, newest first; those of commits are recorded at no moment and are not among them.
SELECT r.revision_id, r.valid_from, r.valid_to = 'infinity' AS head
FROM revision r JOIN document p ON p.source_id = r.source_id AND p.document_id = r.document_id
WHERE r.source_id = %(source_id)s AND p.native_id = %(native_id)s AND r.valid_from >= %(records_begin)s
ORDER BY r.valid_from DESC, r.revision_id DESC LIMIT %(limit)s

-- name: document_at_revision
-- A page or a section as one revision of the page says it. Of several lives of a document, that of the revision counts.
-- A revision that only commits have was current at no real moment, so the last recorded baseline that includes it is named.
SELECT d.document_id, d.doc_type, d.native_id, p.doc_type AS page_type, p.native_id AS page_native_id, r.revision_id,
       r.version, r.title, r.url, whole_body(r.body, r.body_from, r.source_id, r.revision_id) AS body, x.slug,
       x.title AS section_title, coalesce(x.start_chars_before[b.place], x.start_char) AS start_char,
       coalesce(x.end_chars_before[b.place], x.end_char) AS end_char, r.valid_from,
       r.valid_to = 'infinity' AS head, s.keep_history, l.name AS baseline, l.made_at AS baseline_made_at, l.at AS baseline_at
FROM revision r
JOIN source s ON s.source_id = r.source_id
JOIN document p ON p.source_id = r.source_id AND p.document_id = r.document_id
JOIN document d ON d.source_id = r.source_id AND d.native_id = ANY(%(native_ids)s::text[])
     AND (d.document_id = p.document_id OR d.page_id = p.document_id)
LEFT JOIN section x ON x.source_id = r.source_id AND x.document_id = d.document_id
     AND is_of(r.revision_id, x.revision_id, x.revision_ids_before)
CROSS JOIN LATERAL (SELECT array_position(x.revision_ids_before, r.revision_id) AS place) b
LEFT JOIN LATERAL (SELECT b.name, b.made_at, b.at FROM baseline b JOIN baseline_source c USING (baseline_id)
                   WHERE c.source_id = r.source_id AND r.valid_from < %(records_begin)s AND b.made_at < 'infinity'
                     AND b.at >= r.valid_from AND b.at < r.valid_to ORDER BY b.at DESC LIMIT 1) l ON true
WHERE r.source_id = %(source_id)s AND r.revision_id = %(revision_id)s
ORDER BY x.slug IS NULL, d.valid_from DESC LIMIT 1

-- name: document_find
-- A page or a section at HEAD, with its page's revision.
SELECT d.document_id, d.doc_type, d.native_id, p.doc_type AS page_type, p.native_id AS page_native_id, r.revision_id,
       r.version, r.title, r.url, r.body, x.slug, x.title AS section_title, x.start_char, x.end_char
FROM document d
JOIN document p ON p.source_id = d.source_id AND p.document_id = coalesce(d.page_id, d.document_id)
JOIN revision r ON r.source_id = p.source_id AND r.document_id = p.document_id AND r.valid_to = 'infinity'
LEFT JOIN section x ON x.source_id = r.source_id AND x.revision_id = r.revision_id AND x.document_id = d.document_id
WHERE d.source_id = %(source_id)s AND d.native_id = ANY(%(native_ids)s::text[]) AND d.valid_to = 'infinity'
  AND (%(doc_type)s::text IS NULL OR d.doc_type = %(doc_type)s)
ORDER BY d.doc_type, d.valid_from DESC, d.document_id DESC LIMIT 1

-- name: revision_metadata
-- Without the layout of a view: it is long, and its coordinates are no statements of a model.
SELECT r.source_id, r.revision_id, r.metadata - 'layout' AS metadata
FROM unnest(%(sources)s::int[], %(revisions)s::bigint[]) AS q (source_id, revision_id)
JOIN revision r ON r.source_id = q.source_id AND r.revision_id = q.revision_id
WHERE r.source_id = ANY(%(source_ids)s)
