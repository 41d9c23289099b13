"""The use cases of Nextcloud accounts: connecting and searching them, and the state of their index."""
