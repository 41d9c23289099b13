"""The features: what each contributes and, for those that have a folder of their own, all of it."""
