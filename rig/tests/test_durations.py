from __future__ import annotations

from fractions import Fraction

import pytest

from gpiorig.rig import durations
from gpiorig.rig.errors import RigError

MICRO, MU = "\N{MICRO SIGN}", "\N{GREEK SMALL LETTER MU}"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", Fraction(90)),
        ("1h30m", Fraction(5400)),
        ("10 ms", Fraction(1, 100)),
        (".5ms", Fraction(1, 2000)),
        ("20us", Fraction(1, 50_000)),
        (f"20{MICRO}s", Fraction(1, 50_000)),
        (f"20 {MU}s", Fraction(1, 50_000)),
        ("0.1ns", Fraction(1, 10**10)),
    ],
)
def test_a_time_is_exact(text: str, seconds: Fraction) -> None:
    assert seconds == durations.seconds(text)


@pytest.mark.parametrize("text", ["", "10", "-5us", "1e-5s", "5 parsecs", "5 s and more", ".s", "1..5s"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(RigError, match="is not a time: write 90s") as caught:
        durations.seconds(text)

    assert (text == "10") == ("did you mean 10s?" in str(caught.value))
