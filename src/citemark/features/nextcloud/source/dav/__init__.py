"""Calendars and address books as WebDAV collections (RFC 4791, 6352, 6578): found, listed, followed, fetched."""
