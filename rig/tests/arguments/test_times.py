"""Times and instants as options, and options with other names than before."""

from __future__ import annotations

import argparse
from fractions import Fraction

import pytest
from commandline import gpiorig

from gpiorig.rig.arguments import times
from gpiorig.rig.arguments.times import Instant
from gpiorig.rig.cli import options_of

RATE_HZ = Fraction(24_000_000)


@pytest.mark.parametrize(
    ("text", "sample"),
    [("0s", 0), ("1.5ms", 36_000), ("240000sa", 240_000), ("-5sa", -5), ("-1us", -24), ("10ns", 1), ("-10ns", 0)],
)
def test_an_instant_is_a_sample(text: str, sample: int) -> None:
    """Of a time the first sample at or after it."""
    assert sample == times.instant(text).at(RATE_HZ)


@pytest.mark.parametrize("text", ["5", "-5", "5 sa", "1.5sa", "sa", "soon", ""])
def test_what_is_not_an_instant(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"has no unit: write -?5sa|is not a time"):
        times.instant(text)


def test_options_have_the_types() -> None:
    """Also those that were not given."""
    assert Fraction(1, 4) == options_of("view").parse_args(["run", "--follow", "--interval", "250ms"]).interval
    assert 60 == options_of("capture").parse_args(["-o", "run", "--restart"]).restart
    assert Instant(sample=7) == options_of("export").parse_args(["run", "-o", "a.sr", "--from", "7sa"]).begin


@pytest.mark.parametrize(
    ("command", "option"), [("capture", "--silence"), ("view", "--interval"), ("export", "--around")]
)
def test_a_number_without_a_unit(command: str, option: str) -> None:
    """One line that names the form with a unit."""
    done = gpiorig(command, "x", option, "5")

    assert (2, 1) == (done.status, len(done.stderr.splitlines()))
    assert "did you mean 5s?" in done.stderr or "write 5sa for a sample" in done.stderr
