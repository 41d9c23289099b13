"""The dates that a file states for itself, without those of its template, of a program's clock or of an accident."""

from datetime import datetime
from itertools import compress

_OLDEST = "1990"
"""No format read here existed before: an earlier date is where some clock begins (1601, 1899, 1904, 1970, 1980)."""

_TEMPLATES = (
    "1996-10-14T23:33",  # the workbook of Excel 97
    "1996-12-17T01:32",  # the same in other languages
    "2000-01-01T00:00:00",  # ReportLab and other programs that give each file the same date
    "2006-08-16T00:00:00",  # the presentation of PowerPoint 2007 and later
    "2006-09-13T11:",  # the workbook of Excel 2007 in some languages
    "2006-09-16T00:00:00",  # the workbook of Excel 2007 and later
    "2009-04-16T11:32",  # the documents of LibreOffice and OpenOffice
    "2013-01-27T09:1",  # the presentation of python-pptx
    "2013-12-23T23:15",  # the document of python-docx
    "2015-06-05T18:1",  # the workbook of Excel 2016 and later
)
"""When the empty documents that programs begin with were made: files that were made of them keep these times."""

_DAY = len("2026-01-31")


def own_dates(created: datetime | str | None, modified: datetime | str | None) -> dict[str, str]:
    """The days `created` and `modified` of a file's properties; left out is what cannot be the file's own.

    That is a time from before the formats existed or of a program's empty document. If a file was modified before it
    was made, one of the two is wrong, and nothing tells which: both are left out.

    Args:
        created: a time, or its ISO 8601 form, which may be cut off anywhere after the year.
        modified: likewise.
    """
    stamps = (_stamp(created), _stamp(modified))
    own = [stamp >= _OLDEST and not stamp.startswith(_TEMPLATES) for stamp in stamps]
    days = {name: stamp[:_DAY] for name, stamp in compress(zip(("created", "modified"), stamps, strict=True), own)}
    return {} if _contradict(days) else days


def _stamp(time: datetime | str | None) -> str:
    return time.isoformat() if isinstance(time, datetime) else (time or "").replace(" ", "T")


def _contradict(days: dict[str, str]) -> bool:
    """Whether the file was modified before it was made; of two cut-off dates the common part is compared."""
    made, changed = days.get("created", ""), days.get("modified", "")
    common = min(len(made), len(changed))
    return made[:common] > changed[:common]
