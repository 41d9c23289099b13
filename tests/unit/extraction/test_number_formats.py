from datetime import date, datetime, time, timedelta

import pytest

from citemark.extraction.number_formats import displayed

ACCOUNTING = '_-* #,##0.00_-;\\-* #,##0.00_-;_-* "-"??_-;_-@_-'


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (None, "General", ""),
        (True, "General", "TRUE"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "1E+20"),
        (1234.5, "0", "1235"),
        (2.5, "0", "3"),
        (-2.5, "0", "-3"),
        (0.125, "0%", "13%"),
        (0.285, "0%", "29%"),
        (1.005, "0.00", "1.01"),
        (1250, "0.0E+00", "1.3E+03"),
        (1500, "0,", "2"),
        (1e300, "0.00", f"1{'0' * 300}.00"),
        (float("inf"), "0.00", "inf"),
        (0, ACCOUNTING, "-"),
        (-1234, ACCOUNTING, "-1,234.00"),
        (0.5, "#.##", ".5"),
        (0, "#,##0", "0"),
        (0, "#,###", ""),
        (1234.567, "#,##0.00", "1,234.57"),
        (-5, "0.0", "-5.0"),
        (-5, "0.0;(0.0)", "(5.0)"),
        (0, '0;-0;"none"', "none"),
        (0.256, "0%", "26%"),
        (0.2564, "0.0%", "25.6%"),
        (12, '"€" #,##0.00', "€ 12.00"),
        (12, "#,##0.00\\ [$€-407]", "12.00 €"),
        (12, "[Red]0.00_)", "12.00"),
        (1.5, "0.0##", "1.5"),
        (7, "000", "007"),
        (1234567, '#,##0.0,,"M"', "1.2M"),
        (12345, "0.00E+00", "1.23E+04"),
        (1.5, "# ?/?", "1.5"),
        (5, "@", "5"),
        (datetime(2024, 3, 5, 14, 7), "mm-dd-yy", "2024-03-05 14:07"),  # noqa: DTZ001 - sheets know no zone
        (datetime(2024, 3, 5), "mm-dd-yy", "2024-03-05"),  # noqa: DTZ001 - as above
        (datetime(2024, 3, 5, 14, 7, 9), "d. mmmm yyyy h:mm:ss", "5. March 2024 14:07:09"),  # noqa: DTZ001 - as above
        (datetime(2024, 3, 5, 14, 7), "yyyy-mm-dd h:mm AM/PM", "2024-03-05 2:07 PM"),  # noqa: DTZ001 - as above
        (date(2024, 3, 5), "ddd dd.mm.yy", "Tue 05.03.24"),
        (date(2024, 3, 5), "[$-407]d. mmm yyyy", "5. Mar 2024"),
        (time(9, 5), "h:mm", "9:05"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05:00"),
        ("#N/A", "General", "#N/A"),
    ],
)
def test_a_value_is_formatted_as_the_sheet_shows_it(value: object, code: str, shown: str) -> None:
    assert displayed(value, code) == shown
