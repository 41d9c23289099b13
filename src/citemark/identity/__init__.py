"""Who asks over HTTP: what a token that somebody else issued says, once it was verified."""
