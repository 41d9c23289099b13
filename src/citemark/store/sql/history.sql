-- (on replicas)
-- name: history_reach
-- How far back each source can be read, and whether anything was recorded in it after a moment: a revision that came since
-- is either still at HEAD or ended since. The orders keep each a look-up in the index: a source has a hundred thousand
-- revisions. Which document was the first is looked for only where none was recorded before the moment.
SELECT s.source_id, s.keep_history, CASE WHEN isfinite(s.history_from) THEN s.history_from END AS since,
       coalesce(
           (SELECT r.valid_from FROM revision r
            WHERE r.source_id = s.source_id AND r.valid_to > %(begin)s AND r.valid_from > %(begin)s
              AND r.valid_from <= %(moment)s
            ORDER BY r.valid_to LIMIT 1),
           (SELECT min(r.valid_from) FROM revision r WHERE r.source_id = s.source_id AND r.valid_from > %(begin)s)) AS begins,
       EXISTS (SELECT 1 FROM revision r WHERE r.source_id = s.source_id AND r.valid_to = 'infinity'
               AND r.valid_from > %(moment)s)
       OR (SELECT r.valid_to FROM revision r
           WHERE r.source_id = s.source_id AND r.valid_to > %(moment)s AND r.valid_to < 'infinity'
           ORDER BY r.valid_to LIMIT 1) IS NOT NULL AS changed
FROM source s WHERE s.source_id = ANY(%(source_ids)s::int[]) ORDER BY s.source_id

-- name: state_chunks
-- The chunks of a past state by source and language: their numbers, those of their pages and what their words and vectors are
-- kept by once they are superseded, eight bytes each. Those at HEAD are in an index of their own, which is all that is read.
SELECT c.source_id, c.configuration, term_seed(c.source_id, c.configuration) AS seed, count(*) AS chunks,
       sum(c.length)::bigint AS sum_length,
       string_agg(int8send(c.chunk_id) || int8send(c.page_id) || int8send(coalesce(c.content_key, c.chunk_id)), ''::bytea)
           AS members
FROM revision r
CROSS JOIN LATERAL (SELECT c.source_id, c.chunk_id, c.page_id, c.length, c.configuration, c.content_key FROM chunk c
                    WHERE r.valid_to = 'infinity'
                      AND c.source_id = r.source_id AND c.page_id = r.document_id AND c.valid_to = 'infinity'
                    UNION ALL
                    SELECT c.source_id, c.chunk_id, c.page_id, c.length, c.configuration, c.content_key FROM chunk c
                    WHERE r.valid_to < 'infinity' AND c.source_id = r.source_id AND c.revision_id = r.revision_id OFFSET 0) c
WHERE r.source_id = ANY(%(source_ids)s::int[]) AND r.valid_to > %(at)s AND r.valid_from <= %(at)s
GROUP BY c.source_id, c.configuration
ORDER BY c.source_id, c.configuration

-- name: state_lexemes
-- The lexemes of texts as each lexicon of a state reads them, as query_terms has them for HEAD; counts come from the lists.
SELECT t.number, l.lexeme, f.source_id, f.configuration, cardinality(l.positions) AS times,
       hashtextextended(l.lexeme COLLATE "C", f.seed) AS term_id
FROM unnest(%(source_ids)s::int[], %(configurations)s::text[], %(seeds)s::bigint[], %(asked)s::bool[])
         AS f (source_id, configuration, seed, asked)
JOIN unnest(%(texts)s::text[]) WITH ORDINALITY AS t (text, number) ON f.asked OR t.number > %(phrasings)s
CROSS JOIN LATERAL unnest(to_tsvector(f.configuration::regconfig, t.text)) l

-- name: segment_reaches
-- The first and the last chunk of segments that are not known yet.
SELECT s.segment_id, c.first_chunk, c.last_chunk
FROM segment s CROSS JOIN LATERAL (SELECT min(c) AS first_chunk, max(c) AS last_chunk FROM unnest(s.chunk_ids) c) c
WHERE s.source_id = ANY(%(source_ids)s::int[]) AND s.segment_id <> ALL(%(known)s::bigint[])

-- name: state_postings
-- The lists of terms from every segment, those of HEAD and of the past, but for those that hold none of the state's chunks,
-- and the words of chunks that no segment has yet: in one statement, because a chunk may be on its way from one to another.
SELECT l.*, w.*
FROM (SELECT array_agg(l.number) AS numbers, array_agg(l.packed) AS packed, array_agg(octet_length(l.postings)) AS sizes,
             string_agg(l.postings, ''::bytea) AS postings
      FROM (SELECT q.number, s.packed, p.postings
            FROM unnest(%(sources)s::int[], %(ids)s::bigint[]) WITH ORDINALITY AS q (source_id, term_id, number)
            JOIN segment s ON s.source_id = q.source_id AND s.segment_id <> ALL(%(elsewhere)s::bigint[])
            CROSS JOIN LATERAL (
                SELECT p.postings FROM (SELECT p.postings FROM posting_list p WHERE NOT s.packed AND p.source_id = s.source_id
                                        AND p.segment_id = s.segment_id AND p.term_id = q.term_id OFFSET 0) p
                UNION ALL
                SELECT b.block FROM (SELECT b.block FROM posting_block b WHERE s.packed AND b.source_id = s.source_id
                                     AND b.segment_id = s.segment_id AND b.first_term <= q.term_id
                                     ORDER BY b.first_term DESC LIMIT 1) b) p) l) l,
     (SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
             array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
      FROM (SELECT t.chunk_id, t.length, t.terms FROM chunk_delta d JOIN chunk_terms t USING (source_id, chunk_id)
            WHERE d.source_id = ANY(%(sources)s::int[]) AND NOT d.gone
            UNION ALL
            SELECT t.chunk_id, t.length, t.terms FROM chunk_delta_past d JOIN chunk_terms_past t USING (source_id, chunk_id)
            WHERE d.source_id = ANY(%(sources)s::int[])) t) w

-- name: state_words
-- What the words of chunks are, wherever they are kept: at HEAD by chunk, in the past by content or by chunk.
SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
       array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
FROM (SELECT n.chunk_id, t.length, t.terms
      FROM unnest(%(chunk_ids)s::bigint[], %(keys)s::bigint[]) AS n (chunk_id, key)
      CROSS JOIN LATERAL (
          SELECT t.length, t.terms FROM (
              SELECT t.length, t.terms FROM chunk_terms t
              WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id = n.chunk_id
              UNION ALL
              SELECT t.length, t.terms FROM chunk_terms_past t
              WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id IN (n.chunk_id, n.key)) t LIMIT 1) t) t

-- name: state_dense
-- The nearest of the chunks that are named, all of which are looked at. `names` are those chunks and their keys: what is found
-- in the past may be called by either, and a chunk may be found twice.
WITH e AS MATERIALIZED (
    SELECT e.chunk_id, e.vector FROM embedding_{set} e
    WHERE e.source_id = ANY(%(source_ids)s) AND e.chunk_id = ANY(%(chunk_ids)s::bigint[])
    UNION ALL
    SELECT e.chunk_id, e.vector FROM embedding_{set}_past e
    WHERE e.source_id = ANY(%(source_ids)s) AND e.chunk_id = ANY(%(names)s::bigint[]))
SELECT n.*
FROM (SELECT array_agg(q.number ORDER BY q.number, n.score DESC, n.chunk_id) AS numbers,
             array_agg(n.chunk_id ORDER BY q.number, n.score DESC, n.chunk_id) AS chunk_ids,
             array_agg(n.score ORDER BY q.number, n.score DESC, n.chunk_id) AS scores
      FROM unnest(%(vectors)s::halfvec[]) WITH ORDINALITY AS q (vector, number)
      CROSS JOIN LATERAL (SELECT e.chunk_id, 1 - (e.vector <=> q.vector) AS score FROM e
            ORDER BY (e.vector <=> q.vector) FETCH FIRST (%(limit)s) ROWS WITH TIES) n) n

-- name: state_vectors
-- The vectors of the same, as halfvec is sent: two bytes of dimensions, two unused, two for each number.
SELECT array_agg(e.chunk_id) AS chunk_ids, string_agg(halfvec_send(e.vector), ''::bytea) AS vectors
FROM (SELECT e.chunk_id, e.vector FROM embedding_{set} e
      WHERE e.source_id = ANY(%(source_ids)s) AND e.chunk_id = ANY(%(chunk_ids)s::bigint[])
      UNION ALL
      SELECT e.chunk_id, e.vector FROM embedding_{set}_past e
      WHERE e.source_id = ANY(%(source_ids)s) AND e.chunk_id = ANY(%(names)s::bigint[])) e

-- name: state_candidates
-- What ranking needs of fused candidates, as candidates_complete has it for HEAD.
SELECT h.*, n.*, w.*
FROM (SELECT array_agg(c.chunk_id) AS chunk_ids, array_agg(c.source_id) AS source_ids, array_agg(c.page_id) AS page_ids,
             array_agg(coalesce((SELECT w.text_hash FROM chunk_terms_past w WHERE c.text_hash = '' AND w.source_id = c.source_id
                                 AND w.chunk_id = c.content_key), c.text_hash)) AS text_hashes,
             array_agg(c.chunk_id) FILTER (WHERE c.language <> ALL(%(own_languages)s::text[])) AS foreign_ids,
             array_agg(c.language) FILTER (WHERE c.language <> ALL(%(own_languages)s::text[])) AS foreign_languages
      FROM chunk c WHERE c.source_id = ANY(%(source_ids)s) AND c.chunk_id = ANY(%(chunk_ids)s::bigint[])) h,
     (SELECT array_agg(q.number ORDER BY q.number) AS near_numbers, array_agg(e.chunk_id ORDER BY q.number) AS near_ids,
             array_agg(1 - (e.vector <=> q.vector) ORDER BY q.number) AS cosines
      FROM (SELECT n.chunk_id, e.vector
      FROM unnest(%(without_vector)s::bigint[], %(vector_keys)s::bigint[]) AS n (chunk_id, key)
      CROSS JOIN LATERAL (
          SELECT e.vector FROM (
              SELECT e.vector FROM embedding_{set} e
              WHERE e.source_id = ANY(%(source_ids)s) AND e.chunk_id = n.chunk_id
              UNION ALL
              SELECT e.vector FROM embedding_{set}_past e
              WHERE e.source_id = ANY(%(source_ids)s) AND e.chunk_id IN (n.chunk_id, n.key)) e LIMIT 1) e) e
      CROSS JOIN unnest(%(vectors)s::halfvec[]) WITH ORDINALITY AS q (vector, number)) n,
     (SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
             array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
      FROM (SELECT n.chunk_id, t.length, t.terms
      FROM unnest(%(without_words)s::bigint[], %(word_keys)s::bigint[]) AS n (chunk_id, key)
      CROSS JOIN LATERAL (
          SELECT t.length, t.terms FROM (
              SELECT t.length, t.terms FROM chunk_terms t
              WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id = n.chunk_id
              UNION ALL
              SELECT t.length, t.terms FROM chunk_terms_past t
              WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id IN (n.chunk_id, n.key)) t LIMIT 1) t) t) w

-- name: state_candidates_by_words
-- The same without a model.
SELECT h.*, NULL::bigint[] AS foreign_ids, NULL::text[] AS foreign_languages, NULL::bigint[] AS near_numbers,
       NULL::bigint[] AS near_ids, NULL::float8[] AS cosines, w.*
FROM (SELECT array_agg(c.chunk_id) AS chunk_ids, array_agg(c.source_id) AS source_ids, array_agg(c.page_id) AS page_ids,
             array_agg(coalesce((SELECT w.text_hash FROM chunk_terms_past w WHERE c.text_hash = '' AND w.source_id = c.source_id
                                 AND w.chunk_id = c.content_key), c.text_hash)) AS text_hashes
      FROM chunk c WHERE c.source_id = ANY(%(source_ids)s) AND c.chunk_id = ANY(%(chunk_ids)s::bigint[])) h,
     (SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
             array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
      FROM (SELECT n.chunk_id, t.length, t.terms
      FROM unnest(%(without_words)s::bigint[], %(word_keys)s::bigint[]) AS n (chunk_id, key)
      CROSS JOIN LATERAL (
          SELECT t.length, t.terms FROM (
              SELECT t.length, t.terms FROM chunk_terms t
              WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id = n.chunk_id
              UNION ALL
              SELECT t.length, t.terms FROM chunk_terms_past t
              WHERE t.source_id = ANY(%(source_ids)s) AND t.chunk_id IN (n.chunk_id, n.key)) t LIMIT 1) t) t) w

-- name: chunk_lived
-- Whether a chunk belongs to the state of a moment.
SELECT r.valid_from <= %(at)s AND r.valid_to > %(at)s AS lived
FROM chunk c JOIN revision r USING (source_id, revision_id)
WHERE c.source_id = %(source_id)s AND c.chunk_id = %(chunk_id)s

-- name: baseline_add
-- Nothing where the name is taken.
INSERT INTO baseline (tenant, name, at, made_at) VALUES (%(tenant)s, %(name)s, %(at)s, %(made_at)s::timestamptz)
ON CONFLICT (tenant, name) DO NOTHING
RETURNING baseline_id

-- name: baseline_sources_add
INSERT INTO baseline_source (source_id, baseline_id, commit_id)
SELECT s.source_id, %(baseline_id)s, n.commit_id
FROM unnest(%(source_ids)s::int[], %(commit_ids)s::text[]) AS n (source_id, commit_id) JOIN source s USING (source_id)

-- name: baselines
-- Every baseline of a tenant that is of some source still, with the sources that it is of.
SELECT b.name, b.at, b.made_at, array_agg(s.source_id ORDER BY s.source_id) AS source_ids,
       array_agg(s.commit_id ORDER BY s.source_id) AS commit_ids
FROM baseline b JOIN baseline_source s USING (baseline_id)
WHERE b.tenant = %(tenant)s AND (%(name)s::text IS NULL OR b.name = %(name)s) AND b.made_at < 'infinity'
GROUP BY b.baseline_id ORDER BY b.made_at, b.name

-- name: baseline_delete (repeatable)
DELETE FROM baseline WHERE tenant = %(tenant)s AND name = %(name)s RETURNING baseline_id

-- name: history_settle
-- How long a source keeps superseded states; one that a baseline is of goes on keeping some. The source is locked: no page of
-- it is being written. What one that kept none has replaced until now is lost, so its states are whole from now on.
UPDATE source s SET keep_history = %(keep)s, history_days = %(days)s,
       history_from = CASE WHEN %(keep)s AND NOT s.keep_history THEN greatest(s.history_from, clock_timestamp())
                           ELSE s.history_from END
WHERE s.source_id = %(source_id)s
  AND (%(keep)s OR NOT EXISTS (SELECT 1 FROM baseline_source b WHERE b.source_id = s.source_id))
RETURNING clock_timestamp() AS at

-- name: history_setting
-- `before`: up to when a purge takes what was superseded; null where everything is kept. `at`: the time of the database.
SELECT s.source_id, s.keep_history, s.history_days, CASE WHEN isfinite(s.history_from) THEN s.history_from END AS since,
       clock_timestamp() AS at,
       CASE WHEN s.keep_history THEN clock_timestamp() - s.history_days * interval '1 day' ELSE clock_timestamp() END AS before,
       (SELECT count(*) FROM revision r WHERE r.source_id = s.source_id AND r.valid_to < 'infinity') AS revisions,
       b.finished, b.unfinished
FROM source s
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(l.name ORDER BY l.made_at, l.name) FILTER (WHERE l.made_at < 'infinity'), '{}') AS finished,
           coalesce(array_agg(l.name ORDER BY l.name) FILTER (WHERE l.made_at = 'infinity'), '{}') AS unfinished
    FROM baseline_source b JOIN baseline l USING (baseline_id) WHERE b.source_id = s.source_id) b
WHERE s.source_id = ANY(%(source_ids)s::int[]) ORDER BY s.source_id

-- name: history_hold
-- Of a source, history is taken away or named by one transaction at a time; pages are written meanwhile.
SELECT s.source_id, s.keep_history, CASE WHEN isfinite(s.history_from) THEN s.history_from END AS since
FROM source s WHERE s.source_id = ANY(%(source_ids)s::int[]) ORDER BY s.source_id FOR NO KEY UPDATE

-- name: history_overdue
-- Sources with a revision that is older than they keep and that no baseline holds, and up to when to purge them. One that
-- keeps none has such revisions if its purge was killed, or if a baseline of it was deleted.
SELECT s.source_id, s.before
FROM (SELECT source_id, CASE WHEN keep_history THEN clock_timestamp() - history_days * interval '1 day'
                             ELSE clock_timestamp() END AS before FROM source) s
WHERE EXISTS (
    SELECT 1 FROM revision r
    WHERE r.source_id = s.source_id AND r.valid_to <= s.before
      AND NOT EXISTS (SELECT 1 FROM baseline_source b JOIN baseline l USING (baseline_id)
                      WHERE b.source_id = r.source_id AND l.at >= r.valid_from AND l.at < r.valid_to))

-- name: purge_count
-- What a purge would take.
SELECT count(*) AS revisions, count(*) FILTER (WHERE x.held) AS held,
       coalesce(sum(octet_length(x.body) + coalesce(octet_length(x.body_rest), 0)) FILTER (WHERE NOT x.held), 0)::bigint AS bytes
FROM (SELECT r.body, r.body_rest, EXISTS (SELECT 1 FROM baseline_source b JOIN baseline l USING (baseline_id)
                             WHERE b.source_id = r.source_id AND l.at >= r.valid_from AND l.at < r.valid_to) AS held
      FROM revision r WHERE r.source_id = %(source_id)s AND r.valid_to <= %(before)s::timestamptz) x

-- name: purge_choose
-- The next superseded revisions that no baseline holds, in the order in which they ended, with what the words and vectors of
-- their chunks are kept by.
SELECT r.revision_id, r.valid_to, coalesce(c.keys, '{}') AS keys
FROM revision r
CROSS JOIN LATERAL (SELECT array_agg(c.chunk_id) || array_agg(c.content_key) FILTER (WHERE c.content_key IS NOT NULL) AS keys
                    FROM chunk c
                    WHERE c.source_id = r.source_id AND c.revision_id = r.revision_id OFFSET 0) c
WHERE r.source_id = %(source_id)s AND r.valid_to <= %(before)s::timestamptz AND r.valid_to < 'infinity'
  AND NOT EXISTS (SELECT 1 FROM baseline_source b JOIN baseline l USING (baseline_id)
                  WHERE b.source_id = r.source_id AND l.at >= r.valid_from AND l.at < r.valid_to)
ORDER BY r.valid_to, r.revision_id LIMIT %(limit)s

-- name: purge_texts
-- Texts that stay and are kept beside one that goes become whole again.
UPDATE revision r SET body = body_of(r.source_id, r.revision_id), body_from = NULL, body_parts = NULL, body_rest = NULL
WHERE r.source_id = %(source_id)s AND r.body_from = ANY(%(revision_ids)s::bigint[])
  AND r.revision_id <> ALL(%(revision_ids)s::bigint[])

-- name: purge_sections
-- Sections of a revision that goes, which earlier ones that stay had too, become those of the last of these.
UPDATE section x SET revision_id = x.revision_ids_before[n.place], start_char = x.start_chars_before[n.place],
       end_char = x.end_chars_before[n.place], revision_ids_before = x.revision_ids_before[:n.place - 1],
       start_chars_before = x.start_chars_before[:n.place - 1], end_chars_before = x.end_chars_before[:n.place - 1]
FROM (SELECT x.revision_id, x.document_id, max(b.place) AS place
      FROM section x CROSS JOIN unnest(x.revision_ids_before) WITH ORDINALITY AS b (revision_id, place)
      JOIN revision r ON r.source_id = x.source_id AND r.revision_id = b.revision_id
      WHERE x.source_id = %(source_id)s AND x.revision_id = ANY(%(revision_ids)s::bigint[])
        AND b.revision_id <> ALL(%(revision_ids)s::bigint[])
      GROUP BY x.revision_id, x.document_id) n
WHERE x.source_id = %(source_id)s AND x.revision_id = n.revision_id AND x.document_id = n.document_id

-- name: purge_revisions
-- The state of every moment before the last that was taken has a hole from now on.
WITH taken AS (
    DELETE FROM revision WHERE source_id = %(source_id)s AND revision_id = ANY(%(revision_ids)s::bigint[])
    RETURNING valid_to)
UPDATE source s SET history_from = greatest(s.history_from, (SELECT max(valid_to) FROM taken WHERE valid_to > %(begin)s))
WHERE s.source_id = %(source_id)s

-- name: purge_keys
-- Those of the keys that no chunk needs any more, once its revisions are gone. A chunk at HEAD has what is its own; that it is
-- locked keeps whoever is about to supersede it from counting on what is deleted here, and one that is being superseded
-- needs it.
WITH head AS MATERIALIZED (
    SELECT c.chunk_id FROM chunk c
    WHERE c.source_id = %(source_id)s AND c.content_key = ANY(%(keys)s::bigint[]) AND c.valid_to = 'infinity'
    FOR NO KEY UPDATE SKIP LOCKED)
SELECT DISTINCT k.key FROM unnest(%(keys)s::bigint[]) AS k (key)
WHERE NOT EXISTS (SELECT 1 FROM chunk c WHERE c.source_id = %(source_id)s AND c.content_key = k.key
                  AND c.chunk_id NOT IN (SELECT h.chunk_id FROM head h))

-- name: purge_words
DELETE FROM chunk_terms_past WHERE source_id = %(source_id)s AND chunk_id = ANY(%(keys)s::bigint[])

-- name: purge_vectors
DELETE FROM embedding_{set}_past WHERE source_id = %(source_id)s AND chunk_id = ANY(%(keys)s::bigint[])

-- name: purge_relationships
-- Which document took over from which is kept for ever: citations of old names follow it.
DELETE FROM relationship x
WHERE x.source_id = %(source_id)s AND x.valid_to <= %(before)s::timestamptz AND x.type <> 'succeeds'
  AND NOT EXISTS (SELECT 1 FROM baseline_source b JOIN baseline l USING (baseline_id)
                  WHERE b.source_id = x.source_id AND l.at >= x.valid_from AND l.at < x.valid_to)

-- name: purge_common_names
DELETE FROM common_name n USING source s
WHERE s.source_id = n.source_id AND n.source_id = %(source_id)s AND n.valid_to <= s.history_from
  AND NOT EXISTS (SELECT 1 FROM baseline_source b JOIN baseline l USING (baseline_id)
                  WHERE b.source_id = n.source_id AND l.at >= n.valid_from AND l.at < n.valid_to)

-- name: purge_documents
-- Documents that ended and of which nothing is left: no revision, no section in one, no word of who took over from whom.
DELETE FROM document d
WHERE d.source_id = %(source_id)s AND d.valid_to <= %(before)s::timestamptz AND d.valid_to < 'infinity'
  AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.source_id = d.source_id AND r.document_id = d.document_id)
  AND NOT EXISTS (SELECT 1 FROM section x WHERE x.source_id = d.source_id AND x.document_id = d.document_id)
  AND NOT EXISTS (SELECT 1 FROM relationship x WHERE x.source_id = d.source_id AND x.from_document_id = d.document_id)
  AND NOT EXISTS (SELECT 1 FROM document i JOIN relationship x ON x.source_id = i.source_id AND x.from_document_id = i.document_id
                  WHERE i.source_id = d.source_id AND i.page_id = d.document_id)

-- name: repository_second
-- The next second of the year 100; a sequence, so that two processes never take the same one.
SELECT nextval('repository_second')::float8 AS second

-- name: baseline_unfinished_drop (repeatable)
DELETE FROM baseline WHERE tenant = %(tenant)s AND name = %(name)s AND made_at = 'infinity'

-- name: baseline_abandon (repeatable)
-- Not where another process began the same baseline again, or this one has finished it.
DELETE FROM baseline WHERE tenant = %(tenant)s AND name = %(name)s AND at = %(at)s AND made_at = 'infinity'
RETURNING baseline_id

-- name: baseline_finish
-- Nothing where another process began the same baseline again.
WITH done AS (
    UPDATE baseline SET made_at = clock_timestamp()
    WHERE tenant = %(tenant)s AND name = %(name)s AND at = %(at)s AND made_at = 'infinity' RETURNING baseline_id)
UPDATE baseline_source s SET commit_id = n.commit_id
FROM done d, unnest(%(source_ids)s::int[], %(commit_ids)s::text[]) AS n (source_id, commit_id)
WHERE s.source_id = n.source_id AND s.baseline_id = d.baseline_id
RETURNING s.source_id

-- name: repository_latest
-- The second of each source's last baseline that is a commit, other than the one that is being made.
SELECT s.source_id, max(b.at) AS at FROM baseline b JOIN baseline_source s USING (baseline_id)
WHERE s.source_id = ANY(%(source_ids)s::int[]) AND b.at < %(begin)s AND b.made_at < 'infinity'
  AND b.at IS DISTINCT FROM %(making)s::timestamptz
GROUP BY s.source_id

-- name: repository_pages
-- The pages of a commit.
SELECT d.doc_type, d.native_id, r.revision_id, r.version, r.text_version, r.readers
FROM revision r JOIN document d ON d.source_id = r.source_id AND d.document_id = r.document_id
WHERE r.source_id = %(source_id)s AND r.valid_from <= %(at)s AND r.valid_to > %(at)s

-- name: repository_pages_keep
-- Revisions of an earlier commit hold until a later moment, with their documents (pages and sections) and relationships.
-- Chunks belong to the states that their revision belongs to.
WITH kept AS (
    UPDATE revision r SET valid_to = %(until)s
    WHERE r.source_id = %(source_id)s AND r.revision_id = ANY(%(revision_ids)s::bigint[])
    RETURNING r.document_id, r.revision_id),
pages AS (
    UPDATE document d SET valid_to = %(until)s FROM kept k
    WHERE d.source_id = %(source_id)s AND d.document_id = k.document_id),
sections AS (
    UPDATE document d SET valid_to = %(until)s FROM kept k
    WHERE d.source_id = %(source_id)s AND d.page_id = k.document_id)
UPDATE relationship x SET valid_to = %(until)s FROM kept k
WHERE x.source_id = %(source_id)s AND x.page_id = k.document_id AND x.revision_id = k.revision_id
