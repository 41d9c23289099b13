"""Copies of a whole index: a physical one of the embedded cluster, a dump of somebody's database."""
