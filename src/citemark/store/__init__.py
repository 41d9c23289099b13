"""PostgreSQL and nothing else: the only room with SQL."""
