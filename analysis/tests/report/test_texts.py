"""Numbers with their uncertainty, as the report prints them."""

from __future__ import annotations

import math

import pytest

from gpiorig.analysis.number_text import (
    for_page,
    in_threes,
    plus_minus,
    rate_text,
    resolved_text,
    uncertain_text,
)
from gpiorig.analysis.report import texts
from gpiorig.analysis.statistics.interval_text import ppm_interval
from gpiorig.analysis.statistics.intervals import Interval

NAN = float("nan")


@pytest.mark.parametrize(
    ("ns", "expanded_ns", "expected"),
    [
        (7_237_417.0, 471, "7.2374 ms"),
        (7_237_417.0, 51_000, "7.24 ms"),
        (12_000_000.0, 816_000, "12.0 ms"),
        (9_996_000.0, 1_200_000, "10.0 ms"),
        (9_996_000.0, 4_200_000, "10 ms"),
        (999_600.0, 300, "999.60 µs"),
        (14_700.0, 150, "14.70 µs"),
        (800.0, 150_000, "800 ns"),  # below its uncertainty: one digit
        (-31_250.0, 90, "\N{MINUS SIGN}31.25 µs"),
        (0.0, 90, "0"),
        (12_345_678.0, math.nan, "12.3 ms"),
    ],
)
def test_a_time_ends_where_its_uncertainty_begins(ns, expanded_ns, expected):
    assert expected == resolved_text(ns, expanded_ns)


def test_a_rate_ends_where_its_uncertainty_does():
    assert "+15.003 ± 0.052" == plus_minus(15.0031, 0.0519, sign="+")
    assert "\N{MINUS SIGN}4.0 ± 1.2" == plus_minus(-4.04, 1.16, sign="+")
    assert "0 ± 99" == plus_minus(-0.2, 99.4)


@pytest.mark.parametrize(
    ("ns", "expanded_ns", "expected"),
    [
        (34_458.3, 48.1, "34.458 ± 0.048 µs"),
        (1_422_458.0, 35.0, "1422.458 ± 0.035 µs"),
        (162_441_400.0, 9_400.0, "162.4414 ± 0.0094 ms"),
        (162_441_400.0, 94.0, "162441.400 ± 0.094 µs"),
        (7_264_000.0, 472.0, "7264.00 ± 0.47 µs"),
        (12.0, 340.0, "10 ± 340 ns"),
        (NAN, 10.0, "\N{EN DASH}"),
        (4500.0, NAN, "4.50 µs"),
        (4500.0, 0.0, "4.50 µs"),
    ],
)
def test_a_value_ends_where_its_uncertainty_does(ns, expanded_ns, expected):
    """Two digits of the uncertainty, as the GUM (JCGM 100:2008, 7.2.6) has it, in a unit that needs few zeros."""
    assert expected == uncertain_text(ns, expanded_ns)


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(0.5, 0.48, 0.52, ""), "50 % (48 to 52 %)"),
        (Interval(0.99999, 0.9999, 1.0, ""), "> 99.9 % (> 99.9 to 100 %)"),
        (Interval(NAN, NAN, NAN, ""), "\N{EN DASH}"),
        (Interval(0.5, NAN, NAN, ""), "50 %"),
        (Interval(0.9994, 0.99895, 0.9997, ""), "> 99.9 % (99.9 to > 99.9 %)"),
        (Interval(1e-5, -1e-6, 2e-5, ""), "< 0.1 %"),
        (Interval(1e-5, -1e-6, 0.0, ""), "< 0.1 %"),
        (Interval(1e-5, -1e-6, 0.002, ""), "< 0.1 % (< 0.1 to 0.2 %)"),
    ],
)
def test_a_share_has_its_interval_where_there_is_one(interval, expected):
    assert expected == texts.share_interval(interval)


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(4.48e6, 4.4e6, 4.52e6, ""), "4.48 ms (4.40 to 4.52 ms)"),
        (Interval(0.0, 0.0, 0.0, ""), "0 (0 to 0)"),
        (Interval(0.0, -41.7, 0.0, ""), "0 (\N{MINUS SIGN}42 ns to 0)"),
        (Interval(958.0, 0.0, 1000.0, ""), "1.0 µs (0 to 1.0 µs)"),
    ],
)
def test_a_time_has_its_interval_and_the_unit_once(interval, expected):
    assert expected == texts.time_interval(interval)


def test_a_skew_has_the_digits_its_interval_needs():
    assert "12.340 ppm (12.320 to 12.360)" == ppm_interval(Interval(12.34, 12.32, 12.36, ""))
    assert "0 ppm (\N{MINUS SIGN}59 to 58)" == ppm_interval(Interval(-0.3, -59.1, 58.2, ""))
    expected = "\N{MINUS SIGN}9985 ppm (\N{MINUS SIGN}25608 to 5638)"
    assert expected == ppm_interval(Interval(-9984.9, -25607.6, 5637.8, ""))
    assert "\N{EN DASH}" == ppm_interval(Interval(math.nan, math.nan, math.nan, ""))


def test_a_share_above_all_of_it_is_all_of_it():
    """102 % of a variance is true (other steps take back the rest) and reads as an error."""
    assert "all of it (other steps are short when it is long)" == texts.capped_share(Interval(1.02, 1.01, 1.03, ""))
    assert "98 % (97 to 99 %)" == texts.capped_share(Interval(0.98, 0.97, 0.99, ""))


def test_a_tail_is_counted():
    """The slowest 13 of 60 packets are more than a hundredth."""
    assert "slowest 13 of 60" == texts.tail_text(13, 60)
    assert "slowest 10 of 1\N{NARROW NO-BREAK SPACE}000" == texts.tail_text(10, 1000)


@pytest.mark.parametrize(
    ("bits_per_s", "text"),
    [(0, "0 bit/s"), (999, "999 bit/s"), (78_000, "78 kbit/s"), (5_826_448, "5.826 Mbit/s"), (NAN, "\N{EN DASH}")],
)
def test_rates_have_the_unit_that_suits(bits_per_s, text):
    assert text == rate_text(bits_per_s).replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-12.7 ms (-13 to +2 us)", "\N{MINUS SIGN}12.7_ms (\N{MINUS SIGN}13 to +2_µs)"),
        ("99 % of 1.25 s at 24 MHz", "99_% of 1.25_s at 24_MHz"),
        ("2026-11-28, IEEE 802.15.4-2006, -Os a-1 1e-04", "2026-11-28, IEEE 802.15.4-2006, -Os a-1 1e-04"),
        ("3 steps, 2 sides, 12 msgs", "3 steps, 2 sides, 12 msgs"),
    ],
)
def test_numbers_on_a_page(text, expected):
    """A true minus, µs, a narrow space before a unit; dates, names and options stay as they are."""
    assert expected.replace("_", "\N{NARROW NO-BREAK SPACE}") == for_page(text)


def test_digits_in_threes():
    """From four digits on, before the point; what has letters or comes after a point stays."""
    expected = "7_220.9213 ± 0.46 µs; 999; 1_000; 12_345_678; 0x1234; v2006a"
    assert expected.replace("_", "\N{NARROW NO-BREAK SPACE}") == in_threes(
        "7220.9213 ± 0.46 µs; 999; 1000; 12345678; 0x1234; v2006a"
    )


def test_steps_in_one_sentence():
    """Those of one way together, and ways with the same steps."""
    names = [
        "request: app to udp",
        "request: air: first bit",
        "reply: app to udp",
        "reply: air: first bit",
        "round trip",
    ]
    assert "request and reply: app to udp, air: first bit; round trip" == texts.joined_steps(names)
    assert "hop 1: a; hop 2: b" == texts.joined_steps(["hop 1: a", "hop 2: b"])
