-- Edges of a node are read a few at a time, in an order that an index has: a node with a hundred thousand of them costs no
-- more than what is taken, and none of what they were before.

DROP INDEX relationship_page;
CREATE INDEX relationship_page ON relationship (source_id, page_id, from_document_id, relationship_id) WHERE valid_to = 'infinity';
CREATE INDEX relationship_to_head ON relationship (to_key, source_id, type, relationship_id)
    WHERE to_key IS NOT NULL AND valid_to = 'infinity';
