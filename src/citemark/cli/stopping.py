"""What a command returns and says that is stopped by a signal."""

STOPPED = 130
"""The exit code, as shells expect it after Ctrl-C."""

STOPPED_WORDS = "stopped\n"
KEPT_WORDS = "stopped; finished work is kept, and the next sync continues\n"
"""Of a command that reads sources."""
