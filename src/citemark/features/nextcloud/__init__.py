"""Nextcloud accounts: what the feature contributes, and the logins that its servers are spoken to with."""
