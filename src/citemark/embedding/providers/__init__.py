"""Models behind an API: one client for all of them, and one small file for their differences."""
