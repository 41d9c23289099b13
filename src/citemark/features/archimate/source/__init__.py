"""A file with an architecture model: the Open Group exchange format, or Archi's own."""
