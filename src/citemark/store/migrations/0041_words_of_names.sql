-- Titles, paths, tags and metadata are looked through for names that no text has: by their words now, where every document was
-- read for it before.
CREATE FUNCTION words_in(called text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
RETURN array_to_tsvector(ARRAY(
    SELECT left(parts.word, 500) AS word FROM regexp_split_to_table(lower(left(called, 100000)), '\W+') AS parts (word)
    WHERE parts.word <> '' UNION SELECT '…'::text AS word WHERE length(called) > 100000));

CREATE FUNCTION words_about(title text, tags text[], metadata jsonb) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
RETURN words_in(concat_ws(' ', title, array_to_string(tags, ' '),
                          (SELECT string_agg(each.value, ' ') AS said FROM jsonb_each_text(metadata) AS each (key, value))));

CREATE INDEX document_words ON document USING gin (words_in(native_id)) WITH (fastupdate = off) WHERE page_id IS NULL;
CREATE INDEX revision_words ON revision USING gin (words_about(title, tags, metadata)) WITH (fastupdate = off);
