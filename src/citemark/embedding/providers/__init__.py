"""Models that a provider runs: one client for all providers, and one small file for what differs between them."""
