"""Mailboxes as a kind of source: folders of Maildirs and mbox files, a mail per document, threads as edges."""
