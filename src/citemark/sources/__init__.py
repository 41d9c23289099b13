"""Where documents come from: a scanner, a processor and a verifier per kind."""
