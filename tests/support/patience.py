"""How long tests wait for what comes at once where nothing else runs: no test may fail because a machine is busy."""

HANG_SECONDS = 570.0
"""After this something hangs. It is below pytest's own limit for a whole test, so that most failures name what was
waited for."""
