-- name: statement_limit
-- Once per connection, and again when another limit is wanted; local to a transaction that brings one of its own.
SELECT set_config('statement_timeout', %(milliseconds)s, %(local)s)

-- name: backend
-- What a pooler tells its clients is another number.
SELECT pg_backend_pid() AS pid
