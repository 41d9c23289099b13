-- name: statement_limit
-- Once per connection, and again when another limit is wanted.
SELECT set_config('statement_timeout', %(milliseconds)s, false)

-- name: limited_transaction
-- Behind a pooler, where the next transaction may run in another session.
BEGIN; SET LOCAL statement_timeout = {milliseconds}

-- name: backend
-- What a pooler tells its clients is another number.
SELECT pg_backend_pid() AS pid
