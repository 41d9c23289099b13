"""Values that a host sends as text: an array, object, number or boolean whose JSON stands in a string.

Several hosts write nested arguments out as JSON a second time. Such a text is read where the argument takes no string
at all, so that no string is ever taken for something else.
"""

import json
import math
from types import NoneType
from typing import Any, Final, NoReturn

from citemark.tools.annotations import is_array, is_object, kind_of, members

NOT_READ: Final = object()
"""The result for a text that is not the JSON of a wanted value."""


def read_text(annotation: Any, text: str) -> Any:
    """The value whose JSON `text` is, if the annotation wants such a value and takes no string; else `NOT_READ`."""
    wanted = list(members(annotation))
    if any(_takes_text(member) for member in wanted):
        return NOT_READ
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return NOT_READ
    return value if any(_is_wanted(member, value) for member in wanted) else NOT_READ


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _takes_text(member: Any) -> bool:
    return not (is_array(member) or is_object(member) or kind_of(member) in {int, float, bool, NoneType})


def _is_wanted(member: Any, value: Any) -> bool:
    match value:
        case list():
            wanted = is_array(member)
        case dict():
            wanted = is_object(member)
        case bool() | None:
            wanted = member is type(value)
        case int():
            wanted = member in {int, float}
        case float():
            wanted = math.isfinite(value) and (member is float or (member is int and value.is_integer()))
        case _:
            wanted = False
    return wanted
