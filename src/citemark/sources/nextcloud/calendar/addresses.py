"""Where events and to-dos open in Nextcloud's web interface."""

from base64 import b64encode
from urllib.parse import quote, unquote

from citemark.sources.nextcloud.dav.hrefs import name_of


def event_url(server: str, href: str) -> str:
    """The event in the calendar app, which opens the next occurrence of what repeats."""
    return f"{server}/apps/calendar/edit/{quote(b64encode(unquote(href).encode()).decode(), safe='=')}"


def task_url(server: str, href: str) -> str:
    """The to-do in the tasks app, by the names of its list and its resource."""
    collection, _, resource = href.rpartition("/")
    names = quote(name_of(collection), safe=""), quote(unquote(resource), safe="")
    return f"{server}/apps/tasks/#/calendars/{names[0]}/tasks/{names[1]}"
