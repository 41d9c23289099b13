-- name: deltas_take
-- Rows that a page's transaction holds are left for the next time: it is about to forget them.
WITH taken AS (
    DELETE FROM chunk_delta WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM chunk_delta ORDER BY source_id, chunk_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED))
    RETURNING source_id, chunk_id, configuration, gone, length, terms)
SELECT d.source_id, d.chunk_id, d.configuration, d.gone, coalesce(d.length, c.length) AS length,
       coalesce(d.terms, c.terms) AS terms
FROM taken d LEFT JOIN LATERAL (SELECT t.length, t.terms FROM chunk_terms t
                                WHERE t.source_id = d.source_id AND t.chunk_id = d.chunk_id OFFSET 0) c ON true
ORDER BY d.source_id, d.chunk_id

-- name: deltas_take_past
-- Superseded chunks that no segment has yet, with their words.
WITH taken AS (
    DELETE FROM chunk_delta_past WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM chunk_delta_past ORDER BY source_id, chunk_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED))
    RETURNING source_id, chunk_id)
SELECT d.source_id, d.chunk_id, t.length, t.terms
FROM taken d CROSS JOIN LATERAL (SELECT t.length, t.terms FROM chunk_terms_past t
                                 WHERE t.source_id = d.source_id AND t.chunk_id = d.chunk_id OFFSET 0) t
ORDER BY d.source_id, d.chunk_id

-- name: segment_write
WITH s AS (
    INSERT INTO segment (source_id, chunks, chunk_ids, past)
    VALUES (%(source_id)s, cardinality(%(chunk_ids)s::bigint[]), %(chunk_ids)s::bigint[], %(past)s)
    RETURNING source_id, segment_id)
INSERT INTO posting_list (source_id, segment_id, term_id, postings)
SELECT s.source_id, s.segment_id, t.term_id, substring(%(postings)s::bytea FROM t.start FOR t.size)
FROM s CROSS JOIN unnest(%(term_ids)s::bigint[], %(starts)s::int[], %(sizes)s::int[]) AS t (term_id, start, size)

-- name: segment_write_packed
WITH s AS (
    INSERT INTO segment (source_id, chunks, chunk_ids, past, packed)
    VALUES (%(source_id)s, cardinality(%(chunk_ids)s::bigint[]), %(chunk_ids)s::bigint[], %(past)s, true)
    RETURNING source_id, segment_id)
INSERT INTO posting_block (source_id, segment_id, first_term, block)
SELECT s.source_id, s.segment_id, t.first_term, substring(%(blocks)s::bytea FROM t.start FOR t.size)
FROM s CROSS JOIN unnest(%(first_terms)s::bigint[], %(starts)s::int[], %(sizes)s::int[]) AS t (first_term, start, size)

-- name: packing_allowed
-- A server of before schema 34 finds nothing in a packed segment.
SELECT NOT earlier_servers() AS allowed

-- name: segments_untidy
-- Sources that may have something to merge, to write anew or to pack.
SELECT s.source_id FROM segment s JOIN source_stat t ON t.source_id = s.source_id
GROUP BY s.source_id, s.past, t.chunks
HAVING count(*) FILTER (WHERE s.chunks < %(final)s) >= %(merged)s
    OR NOT s.past AND sum(s.chunks) - t.chunks > %(dead)s * sum(s.chunks)
    OR NOT bool_and(s.packed)

-- name: segments_list
SELECT segment_id, chunks, packed FROM segment WHERE source_id = %(source_id)s AND past = %(past)s ORDER BY chunks, segment_id

-- name: segments_dead
-- How many chunks of each segment are at HEAD no longer.
SELECT s.segment_id, s.chunks,
       (SELECT count(*) FROM unnest(s.chunk_ids) c (chunk_id)
        WHERE NOT EXISTS (SELECT 1 FROM chunk_terms t WHERE t.source_id = s.source_id AND t.chunk_id = c.chunk_id)) AS dead
FROM segment s WHERE s.source_id = %(source_id)s AND NOT s.past

-- name: segments_chunks
-- The chunks of segments whose words are still there, with their words: chunks at HEAD of segments of HEAD, chunks that
-- history keeps of segments of the past.
SELECT array_agg(t.chunk_id) AS word_ids, array_agg(t.length) AS word_lengths,
       array_agg(octet_length(t.terms)) AS word_sizes, string_agg(t.terms, ''::bytea) AS words
FROM segment s CROSS JOIN LATERAL unnest(s.chunk_ids) c (chunk_id)
CROSS JOIN LATERAL (SELECT t.chunk_id, t.length, t.terms FROM chunk_terms t
                    WHERE NOT s.past AND t.source_id = s.source_id AND t.chunk_id = c.chunk_id
                    UNION ALL
                    SELECT t.chunk_id, t.length, t.terms FROM chunk_terms_past t
                    WHERE s.past AND t.source_id = s.source_id AND t.chunk_id = c.chunk_id OFFSET 0) t
WHERE s.source_id = %(source_id)s AND s.segment_id = ANY(%(segment_ids)s)

-- name: segments_remove
WITH lists AS (DELETE FROM posting_list WHERE source_id = %(source_id)s AND segment_id = ANY(%(segment_ids)s))
DELETE FROM segment WHERE source_id = %(source_id)s AND segment_id = ANY(%(segment_ids)s)

-- name: source_chunks
SELECT chunks FROM source_stat WHERE source_id = %(source_id)s

-- name: segments_gone
-- Segments of the past of which a purge took a fifth or more, by source.
SELECT s.source_id, s.segment_id FROM segment s
WHERE s.past AND s.source_id = ANY(%(source_ids)s) AND %(dead)s * s.chunks <=
      (SELECT count(*) FROM unnest(s.chunk_ids) c (chunk_id)
       WHERE NOT EXISTS (SELECT 1 FROM chunk_terms_past t WHERE t.source_id = s.source_id AND t.chunk_id = c.chunk_id))
