"""Numbers in third-party files are bounded before anything is computed with them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import integer, parse_samplerate, ratio, samplerate


@pytest.mark.parametrize(
    ("text", "expected"), [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1), ("24\n", None), ("9" * 19, None), ("٣", None)]
)
def test_an_integer_has_at_most_18_ascii_digits(text: str, expected: int | None) -> None:
    assert expected == integer(text)


@pytest.mark.parametrize("text", ["", "-1", "+1", "1_0", " 1", "1.0", "²", "1" * 5000])
def test_what_is_not_an_integer_is_none(text: str) -> None:
    assert integer(text) is None


def test_a_ratio_is_two_integers() -> None:
    assert (Fraction(1, 3), Fraction(24)) == (ratio("2/6"), ratio("24"))
    assert [None] * 5 == [ratio(text) for text in ("1/0", "1e999999999", "1/", "-1/2", f"1/{'1' * 19}")]


@pytest.mark.parametrize("rate_hz", [0, -1, 1e-300, 5e-324, 1e16, math.inf, math.nan, 10**400, Fraction(1, 10**400)])
def test_a_samplerate_that_cannot_be_is_refused(rate_hz: float) -> None:
    """Whatever it is: no OverflowError from its message."""
    with pytest.raises(FormatError, match=r"x.sal: a samplerate of .* Hz is out of range; give 1e-06 to 1e\+15 Hz"):
        samplerate(rate_hz, where="x.sal")


@pytest.mark.parametrize("text", ["1" * 400, "1" * 5000, f"0.{'0' * 400}1", "999999999 GHz", "0.0000001"])
def test_a_samplerate_of_many_digits_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="samplerate") as raised:
        parse_samplerate(text)
    assert len(str(raised.value)) < 200


def test_a_samplerate_of_0_is_one_that_is_not_known() -> None:
    assert 0 == parse_samplerate("0 Hz")
