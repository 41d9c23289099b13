-- The words of chunks are in chunk_terms (0010). This second copy was half of what a chunk weighs, and nothing reads it. The
-- column stays for servers that were started before; a change of type writes the table anew, so that its bytes come back.
ALTER TABLE chunk ALTER COLUMN lexemes TYPE tsvector USING '', ALTER COLUMN lexemes SET DEFAULT '';
