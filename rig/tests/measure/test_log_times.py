from __future__ import annotations

import pytest

from gpiorig.rig.measure import log_times


@pytest.mark.parametrize(
    ("text", "unit", "ns"),
    [
        ("1700000000.123456789", "s", 1_700_000_000_123_456_789),
        ("-0.25", "ms", -250_000),
        ("12", "us", 12_000),
        ("1.5e3", "ns", 1500),
        ("00:12.345", "s", 12_345_000_000),  # Cooja
        ("61:02", "ms", 3_662_000_000_000),
        ("1:02:03,004", "s", 3_723_004_000_000),
        ("1970-01-02T00:00:00.000000001Z", "s", 86_400_000_000_001),
        ("1970-01-01 02:00:00,5", "s", 7_200_500_000_000),  # Python's logging
        ("1970-01-01T02:00:00+02:00", "s", 0),
        ("1969-12-31T23:59:59.75Z", "s", -250_000_000),
    ],
)
def test_times_are_read_to_the_last_digit(text: str, unit: str, ns: int) -> None:
    assert ns == log_times.in_ns(text, unit=unit)


@pytest.mark.parametrize(
    "text", [None, "", "NaN", "inf", "1e30", "12,5", "1.2.3", "2024-13-01T00:00:00", "1:2:3:4", "x"]
)
def test_what_is_no_time_is_refused(text: str | None) -> None:
    """ValueError for each, never another exception: one damaged line of a long log is counted, not a crash."""
    with pytest.raises(ValueError, match=r"."):
        log_times.in_ns(text, unit="s")
