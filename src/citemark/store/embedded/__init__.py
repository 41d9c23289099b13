"""The PostgreSQL that comes with Citemark: one server per data folder, shared by every process that opens it."""

from citemark.store.embedded.postgres import EmbeddedPostgres, EmbeddedStatus

__all__ = ["EmbeddedPostgres", "EmbeddedStatus"]
