"""Notes: Markdown in one folder of the account, with etags and a list of their own."""
