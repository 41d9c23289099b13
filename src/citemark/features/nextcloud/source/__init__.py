"""One person's Nextcloud: notes, calendars, contacts, cards and files of one account."""
