"""What people ask of their Nextcloud accounts: to search them, and how far their index has come."""
