"""One result for each use case, as data and as text, whichever interface gives it out."""
