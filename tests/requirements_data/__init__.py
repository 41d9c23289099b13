"""The entries of the manifest, one file per founding document."""
