"""Models that somebody else runs: one way to talk to them, one small file for what differs."""
