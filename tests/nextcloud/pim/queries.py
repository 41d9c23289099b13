"""calendar-query with components and time ranges, addressbook-query with texts."""

from collections.abc import Iterator
from datetime import UTC, datetime

import icalendar
import recurring_ical_events
from tests.nextcloud import xml
from tests.nextcloud.pim.lines import split, unfolded
from tests.nextcloud.pim.model import Item, Seen
from tests.nextcloud.pim.properties import item_properties
from tests.nextcloud.xml import CAL, CARD, Element, Prop, PropOf


def matching(seen: Seen, root: Element) -> Iterator[tuple[Item, PropOf]]:
    """The objects that a query finds, with their properties (expanded where it asks for that)."""
    expand = root.find(f".//{{{CAL}}}expand")
    for item in seen.items():
        if seen.collection.kind == "calendars":
            if _calendar_match(seen.text(item), root):
                yield item, _expanded(seen, item, expand) if expand is not None else item_properties(seen, item)
        elif _card_match(seen.text(item), root):
            yield item, item_properties(seen, item)


def _moment(text: str | None) -> datetime:
    return datetime.strptime(text or "20380101T000000Z", "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def _calendar_match(text: str, root: Element) -> bool:
    inner = root.find(f".//{{{CAL}}}comp-filter/{{{CAL}}}comp-filter")
    if inner is None:
        return True
    name = (inner.get("name") or "").upper()
    if f"BEGIN:{name}" not in unfolded(text):
        return False
    span = inner.find(f"{{{CAL}}}time-range")
    return span is None or bool(_occurrences(text, span))


def _occurrences(text: str, span: Element) -> list[icalendar.Component]:
    calendar = icalendar.Calendar.from_ical(text)
    start = _moment(span.get("start") or "19700101T000000Z")
    found = recurring_ical_events.of(calendar, components=["VEVENT", "VTODO"])
    return list(found.between(start, _moment(span.get("end"))))


def _expanded(seen: Seen, item: Item, expand: Element) -> PropOf:
    """Each occurrence by itself, in UTC, without a rule."""
    plain = item_properties(seen, item)
    calendar = icalendar.Calendar()
    calendar.add("VERSION", "2.0")  # pyright: ignore[reportUnknownMemberType]
    calendar.add("PRODID", "-//Sabre//Sabre VObject 4.5.4//EN")  # pyright: ignore[reportUnknownMemberType]
    for occurrence in _occurrences(seen.text(item), expand):
        calendar.add_component(_in_utc(occurrence))

    def find(prop: Prop) -> str | None:
        if prop == (CAL, "calendar-data"):
            return xml.escape(calendar.to_ical().decode()).replace("\r", "&#13;")
        return plain(prop)

    return find


def _in_utc(occurrence: icalendar.Component) -> icalendar.Component:
    for name in ("DTSTART", "DTEND", "RECURRENCE-ID"):
        value = getattr(occurrence.get(name), "dt", None)
        if isinstance(value, datetime) and value.tzinfo is not None:
            occurrence.pop(name)
            occurrence.add(name, value.astimezone(UTC))  # pyright: ignore[reportUnknownMemberType]
    return occurrence


def _card_match(text: str, root: Element) -> bool:
    within = root.find(f"{{{CARD}}}filter")
    filters = [] if within is None else within.findall(f"{{{CARD}}}prop-filter")
    results = [_prop_match(text, one) for one in filters]
    every = within is not None and within.get("test") == "allof"
    return not results or (all(results) if every else any(results))


def _prop_match(text: str, prop_filter: Element) -> bool:
    name = (prop_filter.get("name") or "").upper()
    found = [value for one, value in map(split, unfolded(text)) if one == name]
    matches = prop_filter.findall(f"{{{CARD}}}text-match")
    return any(all(_text_match(value, one) for one in matches) for value in found)


def _text_match(value: str, match: Element) -> bool:
    wanted, held = (match.text or "").casefold(), value.casefold()
    kinds = {"equals": held == wanted, "starts-with": held.startswith(wanted), "ends-with": held.endswith(wanted)}
    result = kinds.get(match.get("match-type") or "contains", wanted in held)
    return result != (match.get("negate-condition") == "yes")
