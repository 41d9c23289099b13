"""The use cases of Nextcloud accounts: searching them, and the state of their index."""
