-- The dates that a page states, the days that it is about, and its labels, for filters to compare. They are filled from what
-- was metadata, so nothing is read or embedded again. Dates that repeat cannot be computed here: of these, all days from
-- the first to the last are kept, among which whoever shows them looks for the dates, until the page is read again.
ALTER TABLE revision ADD COLUMN dates jsonb,
    ADD COLUMN days datemultirange NOT NULL DEFAULT '{}',
    ADD COLUMN labels text[] NOT NULL DEFAULT '{}';

-- The days of a stated date or month, empty for what is none. People may have written any text there; a 31st of June is in
-- July.
CREATE FUNCTION pg_temp.days_of(stated text) RETURNS daterange LANGUAGE sql IMMUTABLE
RETURN CASE WHEN stated ~ '^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])' THEN daterange(
        make_date(left(stated, 4)::int, substr(stated, 6, 2)::int, 1) + substr(stated, 9, 2)::int - 1,
        make_date(left(stated, 4)::int, substr(stated, 6, 2)::int, 1) + substr(stated, 9, 2)::int)
    WHEN stated ~ '^(?!0000)\d{4}-(0[1-9]|1[0-2])$' THEN daterange(
        make_date(left(stated, 4)::int, substr(stated, 6, 2)::int, 1),
        (make_date(left(stated, 4)::int, substr(stated, 6, 2)::int, 1) + interval '1 month')::date)
    ELSE 'empty' END;

UPDATE revision r SET
    labels = ARRAY(SELECT normalize(l.label) FROM unnest(r.tags || string_to_array(concat_ws(E'\n',
        r.metadata ->> 'Labels', r.metadata ->> 'Tags', r.metadata ->> 'category'), E'\n')) WITH ORDINALITY l (label, n)
        WHERE l.label <> '' GROUP BY normalize(l.label) ORDER BY min(l.n)),
    dates = CASE WHEN r.metadata ?| '{Start,Due}' THEN jsonb_build_object(
        'begin', coalesce(r.metadata ->> 'Start', ''), 'end', coalesce(r.metadata ->> 'End', ''),
        'due', coalesce(r.metadata ->> 'Due', ''), 'series', coalesce(r.metadata ->> 'Series', ''),
        'open', NOT coalesce(string_to_array(r.metadata ->> 'State', E'\n') && '{done,cancelled,archived}', false)) END,
    metadata = r.metadata - 'Series'
WHERE r.tags <> '{}' OR r.metadata ?| '{Labels,Tags,category,Start,Due,Series}';

-- A series without a rule, or with dates that its rule does not give, may have dates on any day. What is due lasts until
-- then, the stored end of whole days is the day after, and the last day of a rule is in UTC: elsewhere it may be the next.
UPDATE revision r SET days = CASE
    WHEN s.series ~ '\n(RDATE|RECURRENCE-ID)' THEN '{(,)}'
    WHEN isempty(s.first) THEN '{}'
    WHEN s.rule IS NULL THEN datemultirange(range_merge(s.first, s.last))
    WHEN isempty(s.until) OR s.series <> '' AND upper(s.last) > upper(s.first) THEN
        datemultirange(daterange(lower(s.first), NULL))
    ELSE datemultirange(daterange(lower(s.first), greatest(upper(s.first), upper(s.until) + 1))) END
FROM (SELECT e.source_id, e.revision_id, e.series, e.rule, e.first,
             CASE WHEN isempty(e.last) THEN e.first WHEN e.whole_days AND upper(e.last) > upper(e.first) THEN
                 daterange(lower(e.first), upper(e.last) - 1) ELSE e.last END AS last,
             pg_temp.days_of(regexp_replace(substring(e.rule FROM 'UNTIL=(\d{8})'), '(....)(..)', '\1-\2-')) AS until
      FROM (SELECT source_id, revision_id, dates ->> 'series' AS series, metadata ->> 'Recurrence' AS rule,
                   pg_temp.days_of(coalesce(nullif(dates ->> 'begin', ''), dates ->> 'due')) AS first,
                   pg_temp.days_of(coalesce(nullif(dates ->> 'end', ''), nullif(dates ->> 'due', ''), dates ->> 'begin')) AS last,
                   length(dates ->> 'end') = 10 AS whole_days
            FROM revision WHERE dates IS NOT NULL) e) s
WHERE r.source_id = s.source_id AND r.revision_id = s.revision_id;

CREATE INDEX revision_days ON revision USING gist (days) WHERE NOT isempty(days);
CREATE INDEX revision_labels ON revision USING gin (labels) WHERE labels <> '{}';
