"""iCalendar data as components: no broken line hides an entry, and no entry's time zones are those of another."""

from collections.abc import Sequence
from threading import Lock
from typing import Any, ClassVar, cast

from icalendar import Calendar, ComponentFactory, TypesFactory
from icalendar.parser.ical import CalendarIcalParser
from icalendar.prop.broken import vBroken
from icalendar.timezone import tzp

from citemark.extraction.calendar.rules import zone_is_followed

Component = Any
"""An icalendar component: a mapping of upper-case names to values of many kinds."""

_RULES = frozenset({None, "TZID", "DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"})
"""Properties that define a time zone; None stands for a malformed line, which may have been any of them."""


def parse_calendars(data: str) -> Sequence[Calendar]:
    """Parse iCalendar data; what cannot be read is in the `errors` of its component.

    A time zone with a broken rule, or one that changes several times a year, is left out: times in it stay as they are
    written, with its name.

    Raises:
        OSError: a time zone has a name that no file can have.
        ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError: the data is broken.
    """
    # Calendar.from_ical would take data of one line for the path of a file, and read that.
    parser = _LenientParser(data, _LenientComponents(), TypesFactory())
    with _LenientParser.zones_lock:
        tzp.use_default()  # forget what other data defined
        return cast("Sequence[Calendar]", parser.parse())


def remove_broken(component: Component) -> None:
    """Remove values that raise when they are looked at; `errors` keeps their names, with the values as written."""
    for name in list(component):
        value = component[name]
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        kept = [each for each in values if not isinstance(each, vBroken)]
        written = [str(each) for each in values if isinstance(each, vBroken)]
        if written:
            component.errors = [error for error in component.errors if error[0] != name]
            component.errors += [(name, each) for each in written]
        if not kept:
            del component[name]
        elif len(kept) < len(values):
            component[name] = kept if len(kept) > 1 else kept[0]


class _LenientComponents(ComponentFactory):
    """The classes of components; the library goes on after a broken line in events alone."""

    def get_component_class(self, name: str) -> "type[Component]":
        known = super().get_component_class(name)
        if known.ignore_exceptions:
            return known
        lenient = type(known.__name__, (known,), {"name": name.upper(), "ignore_exceptions": True})
        self.add_component_class(lenient)
        return lenient


class _LenientParser(CalendarIcalParser):
    """Leaves out time zones whose rules cannot be followed, or not in few steps."""

    zones_lock: ClassVar[Lock] = Lock()
    """The library keeps the zones of the data in one place for all threads of a process."""

    def handle_end_component(self, vals: str) -> None:
        ended: Component | None = self.component
        if ended is None or ended.name != "VTIMEZONE":
            super().handle_end_component(vals)
            return
        broken = {name for part in ended.walk() for name, _ in part.errors}
        if broken & _RULES or not zone_is_followed(ended):
            self._stack.pop()
            return
        try:
            super().handle_end_component(vals)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            # A rule is missing, or there are two. The zone is with its calendar by now.
            (self._stack[-1].subcomponents if self._stack else self._components).pop()
